"""Command line of the Python version."""

import argparse
import csv

from tiny_trainer.model import LinearModel


def read_points(path):
    with open(path) as file:
        return [(float(row["x"]), float(row["y"])) for row in csv.DictReader(file)]


def main():
    parser = argparse.ArgumentParser(description="Fit a straight line by gradient descent")
    parser.add_argument("--data", default="data/line.csv", help="CSV file with the columns x,y")
    parser.add_argument("--epochs", type=int, default=50, help="passes over the data")
    parser.add_argument("--learning-rate", type=float, default=0.05, help="step size")
    arguments = parser.parse_args()

    model, points = LinearModel(), read_points(arguments.data)
    for epoch in range(1, arguments.epochs + 1):
        print("epoch", epoch, "loss", model.step(points, arguments.learning_rate))


if __name__ == "__main__":
    main()
