"""A scene as the thing swept: simulated for a while with the row's options."""

from dataclasses import dataclass

#: What a row may say beside the options of Simulation.
_STATE = ("time", "qpos", "qvel", "ctrl")


@dataclass(frozen=True)
class SceneTask:
    """Simulates a model and reports the end of the run and its statistics."""

    model: object

    @staticmethod
    def of(scene, rows):
        """The task of a model, a model file or a built-in scene; the names of the rows are checked."""
        from .. import Model, Simulation

        model = scene if isinstance(scene, Model) else Model.from_file(scene)
        options = list(Simulation(model).options)
        for name in rows[0]:
            if name not in options and name not in _STATE:
                raise ValueError(
                    f"a scene has no parameter {name!r}: take {', '.join(_STATE)} or an option of Simulation "
                    f"({', '.join(options)}); for anything else give a function"
                )
        return SceneTask(model)

    def __call__(self, time=1.0, qpos=None, qvel=None, ctrl=None, **options):
        from .. import Simulation

        sim = Simulation(self.model, **options)
        for name, value in (("qpos", qpos), ("qvel", qvel), ("ctrl", ctrl)):
            if value is not None:
                setattr(sim, name, value)
        sim.run_until(time)
        energy, stats = sim.energy, sim.stats
        return {
            "end": sim.time,
            "end_qpos": sim.qpos.copy(),
            "end_qvel": sim.qvel.copy(),
            "kinetic_energy": energy.kinetic,
            "potential_energy": energy.potential,
            **{name: stats[name] for name in ("steps", "iterations", "unconverged", "points", "patches", "faces", "max_penetration")},
        }
