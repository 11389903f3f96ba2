// The kernel for the GPU: a block of LANES threads steps a world. `slots` worlds have memory at a time.

extern "C" __global__ void __launch_bounds__(LANES, BLOCKS)
    stiction_step(const __grid_constant__ Header h, const __grid_constant__ Layout layout, const int *ints, const real *reals,
                  const __grid_constant__ Arrays arrays, real *numbers, int *integers, int worlds, int slots, int steps) {
    int slot = blockIdx.x;
    Group g;
    g.lane = threadIdx.x;
    Model m = {&h, ints, reals};
    Work w = {&layout, numbers + (int64)layout.numbers * slot, integers + (int64)layout.integers * slot};
    for (int i = slot; i < worlds; i += slots) {
        World s = world_of(h, arrays, i);
        for (int k = 0; k < steps; k++) step_world(m, s, w, g);
    }
}
