"""Runs the notebooks of this folder and keeps their outputs: python docs/notebooks/run.py [NAME...]

Needs the package with nbclient, ipykernel, matplotlib; `cargo xtask test --full` runs them too, and keeps nothing.
"""

import sys
from pathlib import Path

FOLDER = Path(__file__).parent

#: In the order in which they are read.
NOTEBOOKS = ["first_steps", "contacts_and_patches", "compliant_mesh", "batches", "identification", "impacts"]


def execute(name, folder):
    """Runs a notebook in a folder and returns it with its outputs; raises what a cell raises."""
    import nbclient
    import nbformat

    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    place = {"metadata": {"path": str(folder)}}
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3", coalesce_streams=True, resources=place).execute()
    for cell in notebook.cells:  # when a cell ran is of no interest, and would change every time
        cell.metadata.pop("execution", None)
    notebook.metadata = {"kernelspec": notebook.metadata.kernelspec}
    return notebook


def main(names):
    import tempfile

    import nbformat

    for name in names or NOTEBOOKS:
        with tempfile.TemporaryDirectory() as folder:
            nbformat.write(execute(name, folder), FOLDER / f"{name}.ipynb")
        print(name)


if __name__ == "__main__":
    main(sys.argv[1:])
