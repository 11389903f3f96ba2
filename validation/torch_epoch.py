"""Time of a pass over the data by PyTorch, for the networks of `stiction learn train` (docs/learned.md).

    python validation/torch_epoch.py [--device cpu|cuda] [--threads 2]

A network of 45 inputs, hidden layers of 96 and 96 (SiLU) and 3 outputs, batches of 256 out of 100 000 samples, Adam.
"""

import argparse
import time

import torch


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=3)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(1)
    count, batch = 100_000, 256
    x, y = torch.randn(count, 45, device=arguments.device), torch.randn(count, 3, device=arguments.device)
    layers = [torch.nn.Linear(45, 96), torch.nn.SiLU(), torch.nn.Linear(96, 96), torch.nn.SiLU(), torch.nn.Linear(96, 3)]
    net = torch.nn.Sequential(*layers).to(arguments.device)
    adam = torch.optim.Adam(net.parameters(), lr=3e-3)
    times = []
    for _ in range(arguments.epochs):
        start = time.perf_counter()
        for columns in torch.randperm(count, device=arguments.device).split(batch):
            adam.zero_grad()
            (0.5 * (net(x[columns]) - y[columns]).square().sum(1).mean()).backward()
            adam.step()
        if arguments.device != "cpu":
            torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    print(f"{arguments.device}, {arguments.threads} threads: {min(times):.2f} s a pass of {count} samples")


if __name__ == "__main__":
    main()
