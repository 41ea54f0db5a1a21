"""The repository that the agents are shown: small, but with a file that does not fit in one answer."""

from pathlib import Path

NAME = "sample"
MODEL = "linear_model.py"
LONG = "layers.py"

README = """# Sample

A linear model in one file. Train it with `sh train.sh --epochs 3`.
"""

MODEL_TEXT = '''"""A linear model, smaller than any real one."""


class LinearModel:
    """Weights and one step of training: “größer” is better."""

    def __init__(self, rate=0.1):
        self.rate = rate
        self.weights = [0.0, 0.0]

    def step(self, gradient):
        for index, slope in enumerate(gradient):
            self.weights[index] -= self.rate * slope
        return self.weights


def train(model, epochs):
    for _ in range(epochs):
        model.step([1.0, -1.0])
    return model
'''

TRAIN_TEXT = """\
echo "epochs $2" | tee log.txt
echo "loss is not a number: ∇ exploded" >&2
exit 3
"""

NOTES = "Grüße: written by the model\n"


def long_lines() -> list:
    """Lines that are all different and hold what is easily lost: quotes, backslashes, tabs, other scripts."""
    lines = ['"""Layers, one function each, more than one answer can hold."""']
    for number in range(1, 161):
        lines += [
            "",
            f"def layer_{number}(inputs):",
            f'\t"""Layer {number}: "quoted", back\\\\slash, 层 и слой."""',
            f"\tscale = {number} * 0.5  # <b>not & markup</b> ${{{number}}}",
            f"\treturn [scale * value + {number} for value in inputs if value is not None]",
        ]
    return lines


def write(folder: Path) -> Path:
    """Writes the repository into a new folder and returns it."""
    folder.mkdir(parents=True)
    texts = {
        "README.md": README,
        MODEL: MODEL_TEXT,
        LONG: "\n".join(long_lines()) + "\n",
        "train.sh": TRAIN_TEXT,
    }
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder
