//! Finding the entry that a person or an agent means: by name, alias, `owner/name` or URL, whatever its case and
//! its mixture of `-` and `_`; and the nearest names when nothing fits.

use crate::{Entry, Error, RepositoryName, Result};

/// How many names an error proposes.
const SUGGESTIONS: usize = 3;
/// Jaro-Winkler similarity from which a name is proposed; `dgll` and `dgl` reach 0.94, unrelated names stay below 0.7.
const SIMILAR: f64 = 0.8;
/// An error shows this much of what was asked for; a name has at most 64 characters.
const SHOWN: usize = 100;

/// Finds the entry that `text` means; a name wins over an alias of another entry.
pub(crate) fn find<'a>(entries: &'a [Entry], text: &str) -> Result<&'a Entry> {
    let wanted = fold(text);
    let means =
        |entry: &&Entry| spellings(entry).any(|spelling| spelling == wanted) || points_into(entry, &wanted);
    entries
        .iter()
        .find(|entry| entry.name.as_str().eq_ignore_ascii_case(text.trim()))
        .or_else(|| entries.iter().find(means))
        .ok_or_else(|| Error::UnknownRepository {
            name: text.chars().take(SHOWN).collect(),
            suggestions: suggest(entries, &wanted),
        })
}

/// Every folded text that means `entry`.
pub(crate) fn spellings(entry: &Entry) -> impl Iterator<Item = String> {
    let mut all = vec![fold(entry.name.as_str())];
    all.extend(entry.aliases.iter().map(|alias| fold(alias)));
    if let Some(url) = entry.url.as_deref().map(fold) {
        let mut parts = url.rsplit('/');
        if let (Some(name), Some(owner)) = (parts.next(), parts.next()) {
            all.extend([name.to_owned(), format!("{owner}/{name}")]);
        }
        all.push(url);
    }
    all.sort();
    all.dedup();
    all.into_iter()
}

/// Whether `wanted` is the URL of a page or file inside the repository, as people paste them.
fn points_into(entry: &Entry, wanted: &str) -> bool {
    let url = entry.url.as_deref().map(fold);
    url.is_some_and(|url| wanted.strip_prefix(&url).is_some_and(|rest| rest.starts_with('/')))
}

/// Drops what people write differently: scheme, user, `.git`, case, `_` for `-`.
fn fold(text: &str) -> String {
    let text = text.trim().to_lowercase().replace('_', "-");
    let text = match text.split_once("://") {
        Some((_, rest)) => rest.to_owned(),
        // `git@host:owner/name`, as ssh writes it.
        None if text.contains('@') => text.replacen(':', "/", 1),
        None => text,
    };
    let text = match text.split_once('@') {
        Some((user, rest)) if !user.contains('/') => rest,
        _ => &text,
    };
    let text = text.trim_end_matches('/');
    text.strip_suffix(".git").unwrap_or(text).to_owned()
}

fn suggest(entries: &[Entry], wanted: &str) -> Vec<RepositoryName> {
    let last = wanted.rsplit('/').next().unwrap_or(wanted);
    let likeness = |entry: &Entry| {
        spellings(entry).map(|spelling| strsim::jaro_winkler(&spelling, last)).fold(0.0, f64::max)
    };
    let mut scored: Vec<(f64, &Entry)> = entries.iter().map(|entry| (likeness(entry), entry)).collect();
    scored.retain(|(score, _)| *score >= SIMILAR);
    scored.sort_by(|left, right| right.0.total_cmp(&left.0));
    scored.into_iter().take(SUGGESTIONS).map(|(_, entry)| entry.name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Registry;

    #[test]
    fn understands_what_people_write() {
        let entries = Registry::built_in().unwrap().entries;
        for (text, name) in [
            ("dgl", "dgl"),
            (" DGL ", "dgl"),
            ("open-clip", "open_clip"),
            ("OpenCLIP", "open_clip"),
            ("timm", "pytorch-image-models"),
            ("TSlib", "time-series-library"),
            ("salesforce/lavis", "lavis"),
            ("Stability-AI/stablediffusion", "stable-diffusion"),
            ("MedicalZooPytorch", "medical-zoo"),
            ("https://github.com/deep-floyd/if", "if"),
            ("https://github.com/dmlc/dgl.git", "dgl"),
            ("http://github.com/dmlc/DGL/", "dgl"),
            ("github.com/google-research/bert", "bert"),
            ("git@github.com:facebookresearch/esm.git", "esm"),
            ("ssh://git@github.com/microsoft/muzic", "muzic"),
            ("https://github.com/dmlc/dgl/tree/master/examples", "dgl"),
        ] {
            assert_eq!(find(&entries, text).unwrap().name.as_str(), name, "{text}");
        }
    }

    #[test]
    fn proposes_the_nearest_names() {
        let entries = Registry::built_in().unwrap().entries;
        for (text, first) in [
            ("dgll", Some("dgl")),
            ("brt", Some("bert")),
            ("pytorch-gam", Some("pytorch-gan")),
            ("grounded-segment", Some("grounded-segment-anything")),
            ("https://github.com/else/open_clipp", Some("open_clip")),
            ("quantum-chess", None),
            ("", None),
        ] {
            let Err(Error::UnknownRepository { suggestions, .. }) = find(&entries, text) else {
                panic!("{text:?} was found");
            };
            assert_eq!(suggestions.first().map(RepositoryName::as_str), first, "{text:?}: {suggestions:?}");
            assert!(suggestions.len() <= SUGGESTIONS);
        }
    }

    #[test]
    fn shows_no_more_of_a_giant_name_than_needed() {
        let error = find(&[], &"x".repeat(1 << 20)).unwrap_err();
        assert!(error.to_string().len() < 200);
    }
}
