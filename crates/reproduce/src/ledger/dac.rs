//! Statements of *Data-Augmented Contact Model for Rigid Body Simulation* (Jiang, Sun, Liu).

use super::{Statement, checks, not, open, tests};

pub const STATEMENTS: &[Statement] = &[
    not(
        "DAC-fig-1",
        "Fig. 1, Fig. 2",
        "Drawings of static and dynamic patches, and of a distal body.",
        "definitions",
    ),
    tests(
        "DAC-alg-1",
        "Algorithm 1",
        "Static, dynamic and detached contact; normal complementarity whatever the regressor says.",
        "crates/dac/tests/guarantees.rs",
        &[
            "nothing_penetrates_pulls_or_drags_whatever_the_weights",
            "sticking_leaves_no_velocity_of_the_patch",
            "the_normal_part_is_the_frictionless_problem_under_the_friction_that_comes_out",
        ],
        "rounding, for random weights",
    ),
    tests(
        "DAC-alg-2",
        "Algorithm 2",
        "The joint force of a chain by Powell's method.",
        "crates/dac/tests/guarantees.rs",
        &["a_chain_keeps_its_joint_and_the_guarantees_whatever_the_weights"],
        "0.5 %, the paper's tolerance",
    ),
    open(
        "DAC-fig-3",
        "Fig. 3",
        "Hyper-parameters and testing accuracy: classifiers 97 to 98 %.",
        "accuracies are in docs/learned.md and not checked here",
    ),
    not(
        "DAC-fig-4",
        "Fig. 4",
        "Ranges of initial states.",
        "the figure's numbers are lost in the text; docs/learned.md has ours",
    ),
    checks(
        "DAC-fig-5",
        "Fig. 5",
        "The learned law ends 0.039 m and 0.243 rad from ground truth (box), 0.053 and 0.355 (prism), 0.088 and 0.304 (plane), first impulses 1.2, 0.4 and 0.3 % off.",
        "tosses",
        &[
            "*: mean final position error (m)",
            "*: mean final orientation error (rad)",
            "*: mean first impulse error, share",
        ],
        "the numbers of the figure: no more",
    ),
    checks(
        "DAC-fig-5-pdd",
        "Fig. 5",
        "A regressor without constraints ends 0.531 m, 0.434 m and 0.058 m off: many times worse in space, comparable in the plane.",
        "tosses",
        &[
            "*: error of the purely data-driven law over ours",
            "box-2d: error of the purely data-driven law (m)",
        ],
        "in space above 2, where the paper has 8 to 14; in the plane within a factor of three of 0.058 m",
    ),
    checks(
        "DAC-no-penetration",
        "Section 3, properties (1)-(3)",
        "No penetration.",
        "tosses",
        &[
            "*: deepest penetration after a step (m)",
            "*: fastest approach of a vertex that touches, after a step (m/s)",
        ],
        "the tolerance of the constraint solve: 1e-6",
    ),
    checks(
        "DAC-fig-6",
        "Fig. 6",
        "The law gives similar contact events, the data-driven one wildly different ones.",
        "tosses",
        &["*: tosses with the same contact events*"],
        "similar: more of them than the data-driven one",
    ),
    checks(
        "DAC-fig-7",
        "Fig. 7",
        "Distances in eight directions on an anisotropic floor agree with ground truth.",
        "anisotropic",
        &["*: distance against ground truth, share"],
        "within 4.1 %, as seven of the paper's eight (0.4 to 4.1 %, one 24 %)",
    ),
    checks(
        "DAC-4.3",
        "Section 4.3",
        "Impulses and joint forces of a chain are predicted by a law trained on the last link.",
        "articulated-chain",
        &[
            "*: first impulse error, share",
            "*: largest distance of the last link's centre*",
            "*: largest error of an angle*",
            "*: sum of impulse errors*",
        ],
        "without numbers in the paper: no more than the single bodies of Fig. 5",
    ),
    checks(
        "DAC-3.3",
        "Section 3.3",
        "The number of evaluations of G is often fewer than 10.",
        "articulated-chain",
        &["*: evaluations of G at a contact, mean"],
        "10",
    ),
    open(
        "DAC-classifier",
        "Section 3.2, 4.2",
        "The classifier is what makes the law better.",
        "replacing it by a constant changes little in our tosses (see docs/mutations.md: classifier-constant); no case that needs it is in the reproduction",
    ),
    not("DAC-4.1", "Section 4.1", "40,000 single collisions.", "belongs to Fig. 3"),
];
