//! After set-up nothing allocates.

mod common;
use common::Case;
use stiction_base::counting_allocator::{CountingAllocator, thread_allocations};
use stiction_multibody::{Factor, MassMatrix, QuaternionStep};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[test]
fn nothing_allocates_after_set_up() {
    let mut worked = 0;
    for seed in 0..50 {
        let Case { mb, mut ws, mut q, v, .. } = Case::new(seed);
        let n = mb.nv();
        let (mut mass, mut factor) = (MassMatrix::new(&mb), Factor::new(&mb));
        let (mut tau, mut vdot, mut next) = (vec![0.0; n], vec![0.0; n], q.clone());
        let mut columns = vec![[0.0; 6]; n];
        let before = thread_allocations();
        for _ in 0..2 {
            mb.positions(&q, &mut ws);
            mb.velocities(&v, &mut ws);
            mb.accelerations(&v, &mut ws);
            mb.bias(&mut ws, &mut tau);
            mb.gravity_forces(&mut ws, &mut tau);
            mb.passive_forces(&mut ws, &q, &v, &mut tau);
            mb.inverse_dynamics(&mut ws, &v, &mut tau);
            mb.mass_matrix(&mut ws, &mut mass);
            factor.compute(&mass, mb.damping());
            factor.solve(&mut tau);
            mass.multiply(&v, &mut tau);
            mb.forward_dynamics(&mut ws, &tau, &mut vdot);
            for body in 0..mb.body_count() {
                let x_wb = mb.pose(&ws, body);
                let wrench = mb.twist(&ws, body) + mb.acceleration(&ws, body);
                let width = mb.body_tree(body).map_or(0, |t| mb.trees()[t].v.len());
                mb.body_jacobian(&ws, body, &x_wb.translation.vector, &mut columns[..width]);
                mb.add_wrench(&ws, body, &x_wb.translation.vector, &wrench, &mut tau);
            }
            let energy = mb.kinetic_energy(&ws, &v) + mb.potential_energy(&ws) + mb.spring_energy(&q);
            let momentum = mb.momentum(&ws);
            assert!(energy.is_finite() && momentum.linear.norm().is_finite());
            for how in [QuaternionStep::Exponential, QuaternionStep::Projected] {
                mb.integrate(&q, &v, 1e-3, how, &mut next);
                mb.difference(&next, &q, &mut vdot);
            }
            q.copy_from_slice(&next);
        }
        let made = thread_allocations() - before;
        assert_eq!(made, 0, "seed {seed}: {made} allocations");
        worked += n;
    }
    assert!(worked > 100);
}
