"""The type stubs with the extras installed: those of stiction.envs too."""

from test_stubs import test_stubs_have_the_names_and_arguments_of_the_package  # noqa: F401
