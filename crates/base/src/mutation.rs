//! Deliberate errors of the physics, to see which checks notice them.
//!
//! They exist only in programs that are built with `--cfg stiction_mutation`, which no release is: `cargo xtask
//! mutate-reproductions` builds one, and chooses an error by the environment variable `STICTION_MUTATION`. Everywhere
//! else [`is`] is the constant `false`.

/// Every error by name, and what it does.
pub const ALL: &[(&str, &str)] = &[
    ("friction-off", "no friction"),
    ("friction-half", "half the coefficient of friction"),
    ("friction-double", "twice the coefficient of friction"),
    ("points-hold", "contact points resist turning as a patch of 2 cm does"),
    ("dissipation-off", "no dissipation along the normal"),
    ("stiffness-double", "twice the stiffness of contact points"),
    ("models-alike", "SAP and Similar are replaced by Lagged"),
    ("models-swapped", "Lagged is replaced by Similar"),
    ("relaxation-double", "twice the relaxation time of SAP"),
    ("regularization-off", "eq. 44 is off, and SAP's σ is a hundred times larger"),
    ("tolerance-loose", "twice the stiction tolerance, and a thousand times the tolerance of solves"),
    ("solver-cut", "no more than two Newton iterations a step"),
    ("solver-slow", "times of computing count a hundredfold"),
    ("drift", "positions advance by 1.03 times the velocity"),
    ("gravity-double", "twice the gravity"),
    ("pressure-double", "twice the pressure on patches"),
    ("pressure-flat", "every face of a patch has the patch's mean pressure"),
    ("pressure-tilted", "normals of faces are turned by 0.1 rad"),
    ("patch-coarse", "a patch is its largest face"),
    ("area-half", "half the area of faces"),
    ("area-forgotten", "every patch has 1 cm² and its force"),
    (
        "patch-squeezed",
        "faces move to a third of their distance from the middle along the longest axis of a patch",
    ),
    ("pressure-by-place", "pressure grows by a tenth per centimetre along the world's x"),
    ("polygons-off", "fans of triangles in place of polygons"),
    ("shell-soft", "tangential springs four times as soft"),
    ("shell-damping-off", "tangential springs without damping"),
    ("impact-friction-half", "half the coefficient of friction in impacts"),
    ("impact-coupling-off", "contacts of an impact do not affect each other"),
    ("impact-early", "a contact's impact ends halfway"),
    ("impact-one-order", "one sequence of impacts, and no samples"),
    ("impact-at-once-uneven", "all at once gives all contacts but the first half of their rates"),
    ("impact-impulse-weak", "outcomes take 80 % of their impulses"),
    ("impact-impulse-strong", "outcomes take 2.5 times their impulses"),
    ("impact-slip-straight", "slip in space keeps its direction"),
    ("impact-slip-sign", "friction of a slipping contact pushes it on"),
    ("impact-few-samples", "eight samples"),
    ("impact-restitution-double", "twice the restitution"),
    ("outer-half", "outer bounds of half the size"),
    ("outer-double", "outer bounds of twice the size"),
    ("outer-loose", "outer bounds are wider by a tenth of a unit"),
    ("foundations-turned", "the eight elastic foundations push along the other body's normal"),
    ("foundations-swapped", "the eight elastic foundations take the stretch of the other body"),
    ("classifier-constant", "the classifier says static"),
    ("classifier-sliding", "the classifier says dynamic"),
    ("regressor-half", "half the friction of the regressor"),
    ("regressor-off", "Coulomb's friction in place of the regressor"),
    ("baseline-exact", "the learned law takes the place of the purely data-driven one"),
    ("normal-weak", "the learned law gives 95 % of its impulse"),
    ("projection-off", "positions are not projected out of penetration"),
];

#[cfg(stiction_mutation)]
fn chosen() -> &'static str {
    static CHOSEN: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    CHOSEN.get_or_init(|| {
        let name = std::env::var("STICTION_MUTATION").unwrap_or_default();
        assert!(
            name.is_empty() || ALL.iter().any(|(known, _)| *known == name),
            "no mutation is called {name}"
        );
        name
    })
}

/// Whether this error is chosen: never, unless the program was built for it.
#[inline(always)]
pub fn is(name: &str) -> bool {
    #[cfg(stiction_mutation)]
    return chosen() == name;
    #[cfg(not(stiction_mutation))]
    {
        let _ = name;
        false
    }
}

/// Whether the program was built for deliberate errors.
pub const fn possible() -> bool {
    cfg!(stiction_mutation)
}
