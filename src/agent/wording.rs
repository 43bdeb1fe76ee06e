//! A run's own words, in the language of the question where it knows that one.

/// Chooses the words for one sentence that was left out, for several, and for passages that stand instead of an answer.
fn words(language: Option<&str>) -> [&'static str; 3] {
    match language {
        Some("de") => [
            "Ein Satz, den die Quellen nicht belegen, wurde weggelassen.",
            "{n} Sätze, die die Quellen nicht belegen, wurden weggelassen.",
            "Stattdessen stehen hier die Stellen, die am besten zur Frage passen.",
        ],
        Some("fr") => [
            "Une phrase que les sources n’étayent pas a été retirée.",
            "{n} phrases que les sources n’étayent pas ont été retirées.",
            "Voici à la place les passages qui correspondent le mieux à la question.",
        ],
        Some("es") => [
            "Se ha omitido una frase que las fuentes no respaldan.",
            "Se han omitido {n} frases que las fuentes no respaldan.",
            "En su lugar se citan los pasajes que mejor responden a la pregunta.",
        ],
        Some("pt") => [
            "Foi omitida uma frase que as fontes não sustentam.",
            "Foram omitidas {n} frases que as fontes não sustentam.",
            "Em vez dela, são citadas as passagens que melhor respondem à pergunta.",
        ],
        Some("it") => [
            "È stata omessa una frase che le fonti non confermano.",
            "Sono state omesse {n} frasi che le fonti non confermano.",
            "Al suo posto sono citati i passi che meglio rispondono alla domanda.",
        ],
        _ => [
            "One sentence that the sources do not support was left out.",
            "{n} sentences that the sources do not support were left out.",
            "The best passages are quoted instead.",
        ],
    }
}

/// Says that sentences were left out of an answer.
pub(super) fn removed(language: Option<&str>, count: usize) -> String {
    let [one, several, _] = words(language);
    if count == 1 { one.to_owned() } else { several.replace("{n}", &count.to_string()) }
}

/// Says that passages stand instead of an answer.
pub(super) fn abstained(language: Option<&str>) -> &'static str {
    let [.., abstained] = words(language);
    abstained
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_filled_in() {
        for language in
            [None, Some("en"), Some("de"), Some("fr"), Some("es"), Some("pt"), Some("it"), Some("zu")]
        {
            assert!(!removed(language, 1).contains('{'));
            assert!(removed(language, 12).contains("12"));
            assert!(abstained(language).ends_with('.'));
        }
        assert_ne!(removed(Some("de"), 2), removed(None, 2));
    }
}
