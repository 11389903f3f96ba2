// A model as flat arrays, and the memory in which one world is stepped.
//
// `Header` is laid out like `flat::Header` in Rust. Integers and numbers of the model lie in two arrays; the header has where each
// table begins. Rows of a table are consecutive.

struct Header {
    int nq, nv, nu, nodes, bodies, trees, geoms, pairs, limits, drives, frictions, levels;
    // Where tables begin among the integers.
    int i_node, i_level, i_child, i_body, i_tree, i_dof, i_geom, i_pair, i_limit, i_drive, i_friction;
    // Where they begin among the numbers.
    int r_node, r_body, r_tree, r_dof, r_geom, r_pair, r_limit, r_drive, r_friction;
    // Most contact points, pairs of geoms and pairs of bodies in contact at a time, coordinates that move a pair of bodies, numbers
    // of the factor.
    int max_contacts, max_manifolds, max_links, max_columns, factor_size, panel, mass_size, rows, words, any_group, all_free;
    int springs, friction_passes, max_iterations, limit_stiffness;
    real dt, gravity[3], stiction_tolerance, regularization, relative_tolerance, stiffness_limit;
    real spring_ratio, spring_relaxation; // negative: critical damping
};

// Rows of the tables.
enum { NODE_I = 10, NODE_R = 26, BODY_I = 3, BODY_R = 7, TREE_I = 6, TREE_R = 1, DOF_I = 3, DOF_R = 4 };
enum { GEOM_I = 3, GEOM_R = 11, PAIR_I = 5, PAIR_R = 8, LIMIT_I = 2, LIMIT_R = 3, DRIVE_I = 2, DRIVE_R = 11, FRICTION_I = 1, FRICTION_R = 1 };
enum { SCREW = 1, SLIDE = 2, BALL = 3, FREE = 4 };
enum { HALF_SPACE = 0, SPHERE = 1, BOX = 2, CAPSULE = 3 };

struct Model {
    const Header *h;
    const int *ints;
    const real *reals;
    FN const int *node_i(int n) const { return ints + h->i_node + NODE_I * n; }
    FN const real *node_r(int n) const { return reals + h->r_node + NODE_R * n; }
    FN const int *body_i(int b) const { return ints + h->i_body + BODY_I * b; }
    FN const real *body_r(int b) const { return reals + h->r_body + BODY_R * b; }
    FN const int *tree_i(int t) const { return ints + h->i_tree + TREE_I * t; }
    FN const real *tree_r(int t) const { return reals + h->r_tree + TREE_R * t; }
    FN const int *dof_i(int d) const { return ints + h->i_dof + DOF_I * d; }
    FN const real *dof_r(int d) const { return reals + h->r_dof + DOF_R * d; }
    FN const int *geom_i(int g) const { return ints + h->i_geom + GEOM_I * g; }
    FN const real *geom_r(int g) const { return reals + h->r_geom + GEOM_R * g; }
    FN const int *pair_i(int p) const { return ints + h->i_pair + PAIR_I * p; }
    FN const real *pair_r(int p) const { return reals + h->r_pair + PAIR_R * p; }
    FN const int *limit_i(int k) const { return ints + h->i_limit + LIMIT_I * k; }
    FN const real *limit_r(int k) const { return reals + h->r_limit + LIMIT_R * k; }
    FN const int *drive_i(int k) const { return ints + h->i_drive + DRIVE_I * k; }
    FN const real *drive_r(int k) const { return reals + h->r_drive + DRIVE_R * k; }
    // Nodes of a level of depth: from, to, and the list.
    FN const int *level(int l) const { return ints + h->i_level + l; }
    FN int level_node(int k) const { return ints[h->i_level + h->levels + 1 + k]; }
    FN int child(int k) const { return ints[h->i_child + k]; }
};

// Columns of the integer tables.
enum { N_MOTION, N_PARENT, N_ROOT, N_TREE, N_Q, N_V, N_NV, N_INERTIA, N_CHILDREN, N_CHILD };
enum { B_NODE, B_TREE, B_LAST_DOF };
enum { T_V, T_N, T_A, T_FLOATING, T_ROOT_BODY, T_NODE };
enum { D_PARENT, D_TREE, D_NODE };
enum { G_KIND, G_BODY, G_GROUP };
enum { P_A, P_B, P_BODY_A, P_BODY_B, P_SWAPPED };
// Columns of the number tables.
enum { NR_TURN = 0, NR_OFFSET = 4, NR_TURN_AXIS = 7, NR_AXIS = 11, NR_LEAD = 14, NR_REFERENCE = 15, NR_MASS = 16, NR_COM = 17, NR_ROT = 20 };
enum { DR_ARMATURE, DR_DAMPING, DR_STIFFNESS, DR_REST };
enum { GR_SIZE = 0, GR_QUAT = 3, GR_POS = 7, GR_RADIUS = 10 };
enum { PR_STIFFNESS, PR_DISSIPATION, PR_RELAXATION, PR_STATIC, PR_DYNAMIC, PR_WEIGHT_B, PR_MARGIN, PR_REACH };
enum { AR_GEAR, AR_GAIN, AR_BIAS = 4, AR_CTRL = 7, AR_FORCE = 9 };

// A contact point of a manifold before it is an entry.
enum { POINT_R = 10, POINTS_OF_PAIR = 9 }; // normal, p_a, p_b, distance

// Numbers of a contact entry while a step is solved.
enum {
    C_R = 0, C_N = 3, C_T1 = 6, C_T2 = 9, C_POSITION = 12,      // arm from the pair's point, frame, place in the world
    C_BASE_F0 = 15, C_BASE_K, C_DISSIPATION, C_MU, C_PENETRATION, // law as assembled
    C_KT, C_CT, C_CRITICAL, C_STRETCH,                           // spring: stiffness, damping, K, stretch (2)
    C_W = 25, C_NEGLIGIBLE, C_LAGGED, C_VN0, C_LOAD,
    C_OFFSET = 30, C_STIFFNESS, C_LOSS, C_LIMIT, C_EPSILON, C_KAPPA, C_MEMORY, C_BIAS = 38, // the law of a solve; memory (2), bias velocity (3)
    C_VT = 41, C_VN = 44, C_ELASTIC, C_DAMPING, C_DUAL, C_DVT = 50, C_DVN = 53,
    C_GAMMA_N = 54, C_A, C_T, C_INV_ROOT = 59, C_G, C_LINE, // line: c, alpha0, q0
    C_SIZE = 64
};

// Memory of a world: names and sizes. Numbers first, integers after them.
#define NUMBERS(D)                                                                                                        \
    D(quat, 4 * h.nodes) D(rot, 9 * h.nodes) D(origin, 3 * h.nodes) D(com, 3 * h.nodes) D(columns, 6 * h.nv)              \
    D(tree_origin, 3 * h.trees) D(twist, 6 * h.nodes) D(drift, 6 * h.nodes) D(acc, 6 * h.nodes) D(wrench, 6 * h.nodes)    \
    D(inertia, 10 * h.nodes) D(mass, h.mass_size) D(added, h.nv) D(impulse, h.nv) D(servo, 3 * h.drives)                  \
    D(geom_rot, 9 * h.geoms) D(geom_pos, 3 * h.geoms) D(points, POINT_R * POINTS_OF_PAIR * h.max_manifolds)               \
    D(contacts, C_SIZE * h.max_contacts) D(link_columns, 6 * h.max_columns * h.max_links)                                 \
    D(link_weighted, 6 * h.max_columns) D(link_sum, 27 * h.max_links) D(link_point, 3 * h.max_links)                      \
    D(link_trace, 2 * h.max_links) D(link_delassus, 36 * h.max_links) D(link_motion, 12 * h.max_links)                    \
    D(u, h.nv) D(gradient, h.nv) D(change, h.nv) D(push, h.nv) D(momentum0, h.nv) D(step, h.nv) D(a_step, h.nv)           \
    D(scale, h.nv) D(magnitude, h.nv) D(row_law, ROW_R * h.rows) D(row_state, 4 * h.rows) D(tree_sums, 5 * h.trees)       \
    D(island_best, h.trees) D(heaviest, h.trees) D(factor, h.factor_size) D(pivots, h.nv) D(panel, h.panel)               \
    D(q_next, h.nq) D(masks, 2 * h.words * h.trees)

#define INTEGERS(D)                                                                                                       \
    D(manifold_pair, h.max_manifolds) D(manifold_count, h.max_manifolds) D(manifold_first, h.max_manifolds)               \
    D(sides, 3 * 2 * h.max_manifolds) D(link_bodies, 2 * h.max_links) D(link_contacts, 2 * h.max_links)                   \
    D(link_dofs, h.max_columns * h.max_links) D(link_shape, 4 * h.max_links) D(contact_pair, h.max_contacts)              \
    D(contact_link, h.max_contacts) D(island, h.trees) D(stale, h.trees) D(done, h.trees) D(order, h.trees)               \
    D(position, h.trees) D(tree_first, h.trees + 1) D(tree_links, 2 * h.max_links) D(below_first, h.trees + 1) D(below, h.trees * h.trees) D(block, h.trees * h.trees)

enum { ROW_R = 4 }; // kind, and three numbers of the law

struct Layout {
#define FIELD(name, size) int name;
    NUMBERS(FIELD) INTEGERS(FIELD)
#undef FIELD
    int numbers, integers;
};

// Memory of one world.
struct Work {
    const Layout *at;
    real *numbers;
    int *integers;
#define FIELD(name, size) FN real *name() const { return numbers + at->name; }
    NUMBERS(FIELD)
#undef FIELD
#define FIELD(name, size) FN int *name() const { return integers + at->name; }
    INTEGERS(FIELD)
#undef FIELD
};

// State of one world, and what a step reports of it.
struct World {
    real *q, *v;
    const real *ctrl, *applied;
    int *spring_pairs;  // pair of geoms of each spring, in order
    real *springs;      // six numbers each: place and stretch in the frame of A's body
    int *counts;        // COUNT_SIZE numbers
};
enum { COUNT_SPRINGS, COUNT_STATUS, COUNT_ITERATIONS, COUNT_PASSES, COUNT_CONTACTS, COUNT_UNCONVERGED, COUNT_SIZE = 8 };
// Parts of the status.
enum { UNCONVERGED = 1, NOT_FINITE = 2, NO_ROOM = 4, SINGULAR = 8, NO_SHAPE = 16 };
