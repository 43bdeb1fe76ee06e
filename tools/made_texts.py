"""Short texts made from longer ones, so that a query table also learns what people type into a search box.

Everything is drawn from the given texts with a fixed seed: the same texts give the same result.
"""
import collections
import random
import re

WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9'-]*")
MARK_OR_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9'-]*|[^\sA-Za-z0-9]")
STOP = set(
    "a an the of in on at to for with by from as is are was were be been being and or not no that this these those it its "
    "he she they we you i his her their our my your which who whom what when where why how do does did has have had can "
    "could will would may might must should shall if then than so but such also into over under between after before "
    "during about per both each all any some more most other".split()
)
QUESTIONS = [
    "what is {}", "What is (are) {} ?", "what are the symptoms of {}?", "how is {} treated", "treatment of {}",
    "{} causes", "what causes {}?", "how to prevent {}", "{} definition", "define {}", "{} side effects",
    "is {} inherited?", "how to diagnose {}", "how does {} work", "who discovered {}", "effect of {} on {}",
    "difference between {} and {}", "{} vs {}", "role of {} in {}", "is {} associated with {}?", "does {} affect {}?",
    "relationship between {} and {}", "can {} cause {}?", "{} dosage", "how many people are affected by {}",
    "management of {}", "complications of {}", "what is the function of {}", "examples of {}", "how do I use {}",
    "why does {} happen", "when was {} introduced", "where is {} found", "{} in children", "{} during pregnancy",
    "risk factors for {}", "what do we know about {}?", "history of {}", "how to fix {}", "treatments for {}",
]


def noun_phrases(text):
    """Runs of words between stop words and punctuation, as lists of words; the long ones cut."""
    run = []
    for part in MARK_OR_WORD.findall(text) + ["."]:
        if part[0].isalnum() and part.lower() not in STOP:
            run.append(part)
            continue
        if any(len(word) > 3 for word in run):
            yield run
        run = []


class Maker:
    def __init__(self, texts, vocabulary, seed=5):
        self.rng = random.Random(seed)
        self.texts = texts
        self.vocabulary = [token for token in vocabulary if re.fullmatch("[a-z0-9]{2,}", token)]
        self.counts = collections.Counter(word.lower() for text in texts for word in WORD.findall(text))

    def phrase(self, text):
        runs = list(noun_phrases(text))
        if not runs:
            return None
        run = self.rng.choice(runs)
        if len(run) > 4:
            count = self.rng.randint(1, 4)
            start = self.rng.randint(0, len(run) - count)
            run = run[start:start + count]
        return " ".join(run)

    def question(self):
        template, text = self.rng.choice(QUESTIONS), self.rng.choice(self.texts)
        other = text if self.rng.random() < 0.7 else self.rng.choice(self.texts)
        phrases = [self.phrase(text), self.phrase(other)][:template.count("{}")]
        if None in phrases or len(set(phrases)) < len(phrases):
            return None
        made = template.format(*phrases)
        return made.lower() if self.rng.random() < 0.5 else made

    def keywords(self):
        words = [word for word in WORD.findall(self.rng.choice(self.texts)) if word.lower() not in STOP]
        if len(words) < 4:
            return None
        count = self.rng.randint(2, min(8, len(words) - 1))
        return " ".join(words[at] for at in sorted(self.rng.sample(range(len(words)), count)))

    def span(self):
        words = self.rng.choice(self.texts).split()
        if len(words) < 6:
            return None
        count = self.rng.randint(3, min(14, len(words) - 1))
        start = self.rng.randint(0, len(words) - count)
        return " ".join(words[start:start + count])

    def make(self):
        """All words of the vocabulary, the most frequent other words, and about 320,000 made texts."""
        known = set(self.vocabulary)
        frequent = (word for word, count in self.counts.most_common() if count > 1 and len(word) > 2)
        made = self.vocabulary + [word for word in frequent if word not in known][:40_000]
        content = [word for word in self.counts if word not in STOP and len(word) > 2]
        # By the root of the frequency: between what is asked often and what there is.
        weights = [self.counts[word] ** 0.5 for word in content]
        for count, times in ((2, 25_000), (3, 15_000)):
            made += [" ".join(self.rng.choices(content, weights, k=count)) for _ in range(times)]
        kinds = (self.question, 70_000), (lambda: self.phrase(self.rng.choice(self.texts)), 70_000)
        for kind, times in (*kinds, (self.keywords, 80_000), (self.span, 60_000)):
            made += filter(None, (kind() for _ in range(times)))
        made = list(dict.fromkeys(made))
        self.rng.shuffle(made)
        return made
