// The live server, as people start it: `stiction view SCENE`.

import { spawn } from "node:child_process";

export const program = process.env.STICTION_PROGRAM;

/** Starts a server and waits for the address it prints. */
export function view(...args: string[]): Promise<{ address: string; stop: () => void }> {
  const child = spawn(program!, ["view", "--no-open", ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  const stop = (): void => {
    process.off("exit", kill);
    kill();
  };
  return new Promise((resolve, reject) => {
    let text = "";
    const take = (part: Buffer): void => {
      text += part.toString();
      const match = /http:\/\/[\d.]+:\d+\/?/.exec(text);
      if (match) resolve({ address: match[0], stop });
    };
    child.stdout.on("data", take);
    child.stderr.on("data", take);
    child.on("error", reject);
    child.on("exit", () => reject(new Error(`the server ended: ${text}`)));
  });
}
