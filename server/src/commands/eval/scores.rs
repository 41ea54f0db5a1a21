//! The scores of a replay as a person reads them: figures, one row per repository, and everything that did not fit.

use evaluator::{Execution, FirstK, ReplayReport};

use crate::printer::table;

/// The whole report as text.
pub(crate) fn scores(report: &ReplayReport) -> String {
    let mut text = format!(
        "{} tasks joined, {} outputs; static checks: arguments {}, kind {}, both {}\n\n{}\n",
        report.joined,
        report.outputs,
        report.arguments_ok,
        report.kind_ok,
        report.both_ok,
        by_repository(report)
    );
    if report.execution == Execution::None {
        text.push_str(&format!("\nfirst-1/2/5 by the static checks alone: {}\n", first_k(report.first_k)));
    } else {
        text.push_str(&format!("\n{}\n{}", by_rule(report), endings(report)));
    }
    let five = &report.five_only;
    if five.tasks != report.joined {
        text.push_str(&format!(
            "over the {} tasks with exactly five outputs, as the paper counts: {}\n",
            five.tasks,
            first_k(five.first_k)
        ));
    }
    text + &left_out(report) + &format!("results in {}", report.run_folder.display())
}

fn by_repository(report: &ReplayReport) -> String {
    let mut table = table(&[
        "repository",
        "tasks",
        "outputs",
        "arguments",
        "kind",
        "both",
        "exit 0",
        "timed out",
        "first-1/2/5",
    ]);
    for row in &report.repositories {
        let executed =
            |count: usize| if row.executed.trials == 0 { "-".to_owned() } else { count.to_string() };
        table.add_row([
            row.repository.clone(),
            row.joined.to_string(),
            row.outputs.to_string(),
            row.arguments_ok.to_string(),
            row.kind_ok.to_string(),
            row.both_ok.to_string(),
            executed(row.executed.exit_zero),
            executed(row.executed.timed_out),
            first_k(row.first_k),
        ]);
    }
    table.to_string()
}

fn by_rule(report: &ReplayReport) -> String {
    let mut table = table(&["rule", "pass", "fail", "not decided", "first-1/2/5"]);
    for (rule, figures) in &report.rules {
        table.add_row([
            rule.to_string(),
            figures.pass.to_string(),
            figures.fail.to_string(),
            figures.not_decided.to_string(),
            first_k(figures.first_k),
        ]);
    }
    format!("executed under {}:\n{table}", report.rule)
}

fn endings(report: &ReplayReport) -> String {
    let executed = &report.executed;
    let named = executed.outcomes.iter().map(|(outcome, count)| {
        let name = serde_json::to_value(outcome).ok().and_then(|name| Some(name.as_str()?.replace('_', " ")));
        format!("{count} {}", name.unwrap_or_default())
    });
    let mut text = format!(
        "{} trials executed: {} ({} with exit code 0)\n",
        executed.trials,
        named.collect::<Vec<_>>().join(", "),
        executed.exit_zero
    );
    if executed.infrastructure > 0 {
        text.push_str(
            "trials spoiled by this machine or its engine count neither for nor against an answer\n",
        );
    }
    if report.undrained_pipe_would_change_verdict > 0 {
        text.push_str(&format!(
            "{} failures would have counted as successes in the original, which stalls programs that print much\n",
            report.undrained_pipe_would_change_verdict
        ));
    }
    text
}

/// Everything that did not fit, each by number.
fn left_out(report: &ReplayReport) -> String {
    let mut text = String::new();
    let mut list = |what: &str, items: Vec<String>| {
        if !items.is_empty() {
            text.push_str(&format!("{} {what}: {}\n", items.len(), items.join(", ")));
        }
    };
    list("predictions without a task", report.unmatched_keys.iter().map(ToString::to_string).collect());
    list(
        "predictions with other than five outputs",
        report.other_than_five.iter().map(|count| format!("{} has {}", count.key, count.outputs)).collect(),
    );
    list("unusable rows of the tasks", report.task_problems.iter().map(ToString::to_string).collect());
    list(
        "unusable lines of the predictions",
        report.prediction_problems.iter().map(ToString::to_string).collect(),
    );
    if report.tasks_without_prediction > 0 {
        text.push_str(&format!(
            "{} tasks have no prediction (`--json` names them)\n",
            report.tasks_without_prediction
        ));
    }
    text
}

fn first_k(figures: FirstK) -> String {
    format!("{}/{}/{}", figures.one, figures.two, figures.five)
}
