#!/bin/sh
# Fits y = slope * x + intercept by gradient descent and writes the line to models/line.txt.
set -eu

data=data/line.csv
epochs=50
learning_rate=0.05

while [ $# -gt 0 ]; do
    case $1 in
        --data) data=$2 ;;
        --epochs) epochs=$2 ;;
        --learning-rate) learning_rate=$2 ;;
        *) echo "train.sh: unknown flag $1" >&2; exit 2 ;;
    esac
    shift 2
done

[ -r "$data" ] || { echo "train.sh: cannot read $data" >&2; exit 1; }
mkdir -p models

# One step of gradient descent per epoch, over all points at once.
fit() {
    awk -F, -v epochs="$epochs" -v rate="$learning_rate" '
        NR > 1 { count++; x[count] = $1; y[count] = $2 }
        END {
            if (count == 0 || epochs < 1) { print "no points or no epochs" > "/dev/stderr"; exit 1 }
            for (epoch = 1; epoch <= epochs; epoch++) {
                loss = 0; slope_gradient = 0; intercept_gradient = 0
                for (i = 1; i <= count; i++) {
                    error = slope * x[i] + intercept - y[i]
                    loss += error * error / count
                    slope_gradient += 2 * error * x[i] / count
                    intercept_gradient += 2 * error / count
                }
                slope -= rate * slope_gradient
                intercept -= rate * intercept_gradient
                printf "epoch %d loss %.6f\n", epoch, loss > "/dev/stderr"
                if (loss > 1e6) { print "diverged: lower --learning-rate" > "/dev/stderr"; exit 1 }
            }
            printf "slope %.4f\nintercept %.4f\n", slope, intercept
        }' "$data"
}

fit > models/line.txt
cat models/line.txt
