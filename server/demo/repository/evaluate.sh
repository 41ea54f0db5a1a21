#!/bin/sh
# Prints the mean squared error of a fitted line over a CSV file of points.
set -eu

model=models/line.txt
data=data/line.csv

while [ $# -gt 0 ]; do
    case $1 in
        --model) model=$2 ;;
        --data) data=$2 ;;
        *) echo "evaluate.sh: unknown flag $1" >&2; exit 2 ;;
    esac
    shift 2
done

for file in "$model" "$data"; do
    [ -r "$file" ] || { echo "evaluate.sh: cannot read $file" >&2; exit 1; }
done

mean_squared_error() {
    awk -F'[, ]' '
        FNR == NR { value[$1] = $2; next }
        FNR > 1 { error = value["slope"] * $1 + value["intercept"] - $2; sum += error * error; count++ }
        END { printf "mean squared error %.4f over %d points\n", sum / count, count }' "$model" "$data"
}

mean_squared_error
