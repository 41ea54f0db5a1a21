//! Pages of the protocol's own lists. A cursor is opaque and names the list's length, so that one of a list that
//! has changed since is refused and the client starts anew.

use rmcp::ErrorData;

use super::explanation::refuse;

/// Lists that change only with a new version of the program.
pub(super) const UNCHANGING_MILLISECONDS: u64 = 3_600_000;

// Clients show lists in menus; few have more than this, and those page.
const ITEMS: usize = 100;

/// The page that `cursor` names, the first without one, and the cursor of the next.
pub(super) fn of<T>(all: Vec<T>, cursor: Option<&str>) -> Result<(Vec<T>, Option<String>), ErrorData> {
    let total = all.len();
    let start = match cursor {
        None => 0,
        Some(text) => parse(text, total).ok_or_else(|| {
            refuse(format!("`{text}` is no cursor of this list; leave it out to start anew"))
        })?,
    };
    let end = total.min(start + ITEMS);
    let next = (end < total).then(|| format!("{end:x}.{total:x}"));
    Ok((all.into_iter().skip(start).take(ITEMS).collect(), next))
}

fn parse(text: &str, total: usize) -> Option<usize> {
    let (start, of) = text.split_once('.')?;
    let (start, of) = (usize::from_str_radix(start, 16).ok()?, usize::from_str_radix(of, 16).ok()?);
    (of == total && start < total).then_some(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_hold_everything_once() {
        let all: Vec<usize> = (0..250).collect();
        let (mut seen, mut cursor) = (Vec::new(), None);
        loop {
            let (page, next) = of(all.clone(), cursor.as_deref()).unwrap();
            seen.extend(page);
            match next {
                Some(next) => cursor = Some(next),
                None => break,
            }
        }
        assert_eq!(seen, all);
    }

    #[test]
    fn a_cursor_of_another_list_is_refused() {
        let cursor = of(vec![0; 250], None).unwrap().1.unwrap();
        for (length, text) in [(251, cursor.as_str()), (250, "zz"), (250, "ff.fa"), (250, "")] {
            assert!(of(vec![0; length], Some(text)).is_err(), "{text}");
        }
    }
}
