"""A straight line and one step of gradient descent."""


class LinearModel:
    """y = slope * x + intercept."""

    def __init__(self, slope=0.0, intercept=0.0):
        self.slope = slope
        self.intercept = intercept

    def predict(self, x):
        return self.slope * x + self.intercept

    def step(self, points, learning_rate=0.05):
        """Move against the gradient once; returns the loss before the step."""
        count = len(points)
        errors = [self.predict(x) - y for x, y in points]
        self.slope -= learning_rate * 2 * sum(e * x for e, (x, _) in zip(errors, points)) / count
        self.intercept -= learning_rate * 2 * sum(errors) / count
        return sum(e * e for e in errors) / count
