// The kernels for the host: one lane does the work of a group.

#include <math.h>

namespace {
#include "base.h"
#include "model.h"
#include "kinematics.h"
#include "shapes.h"
#include "detect.h"
#include "problem.h"
#include "factor.h"
#include "newton.h"
#include "step.h"
}

extern "C" {

// Places of the fields in a world's memory. Returns the size of `Layout`.
int stiction_gpu_layout(const Header *header, Layout *out) {
    const Header &h = *header;
    int at = 0;
#define FIELD(name, size) out->name = at; at += (size);
    NUMBERS(FIELD)
    out->numbers = (at + 15) & ~15;
    at = 0;
    INTEGERS(FIELD)
#undef FIELD
    out->integers = (at + 31) & ~31;
    return sizeof(Layout);
}

int stiction_gpu_header_size() { return sizeof(Header); }

void stiction_gpu_step(const Header *h, const Layout *layout, const int *ints, const real *reals, const Arrays *arrays,
                       real *numbers, int *integers, int64 from, int64 to, int steps) {
    Model m = {h, ints, reals};
    Work w = {layout, numbers, integers};
    Group g;
    g.lane = 0;
    g.lanes = 1;
    for (int64 i = from; i < to; i++)
        for (int k = 0; k < steps; k++) step_world(m, world_of(*h, *arrays, i), w, g);
}
}
