"""Scenes for steps by accuracy, with what is known of their motion."""

GRAVITY = 9.81


def tags(stiffness, dissipation):
    """A geom's contact properties: stiffness in N/m, dissipation in s/m."""
    return (
        f'<drake:proximity_properties><drake:point_contact_stiffness value="{stiffness:.12g}"/>'
        f'<drake:hunt_crossley_dissipation value="{dissipation:.12g}"/></drake:proximity_properties>'
    )


class Belt:
    """A box laid on a belt that moves at 0.4 m/s slides until it has the belt's speed, then rides."""

    speed, friction, half, mass, stiffness = 0.4, 0.5, 0.05, 1.0, 1e6
    duration = 1.0

    @classmethod
    def mjcf(cls):
        material = tags(2 * cls.stiffness, 50)
        sunk = cls.mass * GRAVITY / cls.stiffness  # at rest, so that the belt's motion is all there is
        return f"""<mujoco model="belt"><default><geom friction="{cls.friction} 0 0" condim="3"/></default><worldbody>
  <geom type="box" size="2 1 0.1" pos="0 0 -0.1" surfacevel="{cls.speed} 0 0">{material}</geom>
  <body pos="0 0 {cls.half - sunk:.15g}"><freejoint/>
    <geom type="box" size="{cls.half} {cls.half} {cls.half}" mass="{cls.mass}">{material}</geom></body>
</worldbody></mujoco>"""

    @classmethod
    def place(cls):
        """Where the box is at the end, m: the belt's way less what was lost while sliding."""
        return cls.speed * cls.duration - cls.speed**2 / (2 * cls.friction * GRAVITY)


class Ball:
    """A ball without dissipation falls by 0.2 m and bounces; its energy stays."""

    duration = 1.0  # in flight

    @classmethod
    def mjcf(cls):
        material = tags(2e4, 0)
        return f"""<mujoco model="ball"><default><geom friction="0 0 0" condim="3"/></default><worldbody>
  <geom type="plane" size="5 5 1">{material}</geom>
  <body pos="0 0 0.3"><freejoint/><geom type="sphere" size="0.1" mass="1">{material}</geom></body>
</worldbody></mujoco>"""
