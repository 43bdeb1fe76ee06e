"""Original texts for the fixtures of tests/library/embed.rs. Everything here is written for this purpose."""

QUESTIONS = """
how much amoxicillin for a child with otitis media
What should I do if the wound keeps bleeding?
Is it safe to take ibuprofen during breastfeeding?
how do I reset my password
when does the library open on public holidays
Which documents are needed to renew a residence permit?
can two users edit the same page at once
max file size upload
difference between HbA1c and fasting glucose
Why does the build fail with "linker not found"?
who approves travel expenses above 500 euros
symptoms of dehydration in elderly people
How often should the water filter of the espresso machine be replaced?
does the warranty cover water damage?
what is the capital of the province
rust borrow checker cannot move out of index
How long can cooked rice be kept in the fridge?
Is metformin contraindicated when eGFR is below 30?
steps to calibrate the pressure sensor
do I need a visa for a layover in Doha
how to cite a source with no author
what happens to my data when I close the account?
first aid for bee stings
What is the boiling point of water at 3000 metres?
why is my sourdough so dense
"""

HEADINGS = """
Installation
Frequently asked questions
2.3 Dosage in renal impairment
Appendix B: Units of measurement
Known limitations and how to work around them
Contraindications
API reference > Index > open()
Terms of service
Acute asthma in adults
Changelog
Emergency contacts
Chapter 7. The long winter
"""

SENTENCES = """
Adults receive 500 mg of amoxicillin by mouth every eight hours for five days.
In children under 20 kg the dose is calculated by weight, at 15 mg/kg every 12 h.
Blood pressure above 180/120 mmHg with signs of organ damage is an emergency.
Do not give aspirin to children under 16 because of the risk of Reye's syndrome.
An HbA1c of 48 mmol/mol (6.5%) or more confirms the diagnosis if it is repeated.
Start with 0.5 mg at night and increase by 0.5 mg every three days as tolerated.
Check potassium and creatinine one to two weeks after starting an ACE inhibitor.
The rash fades within a week and leaves no scars unless it is scratched.
Patients with a penicillin allergy can be given doxycycline 100 mg twice a day instead.
Stop smoking at least four weeks before planned surgery to lower the risk of wound infection.
Rinse a chemical burn of the eye with running water for at least fifteen minutes before anything else.
If the seizure lasts longer than five minutes, give 10 mg of midazolam into the cheek.
The catheter should be removed as soon as it is no longer needed.
Her temperature was 39.4 degrees, her pulse 112, and she had not passed urine since the morning.
Annual vaccination against influenza is recommended for everyone over 65.
The committee meets on the first Tuesday of every month in the old town hall.
Drag the marker to the place you want and release the mouse button to save it.
A thin layer of oil keeps the blade from rusting during the wet season.
Returning an item is free of charge within thirty days of delivery.
The engine stalls when the mixture is too lean or the air filter is clogged.
Bread made with rye flour keeps longer but rises less than bread made with wheat.
Every request must carry the header that identifies the client.
The river freezes in December and is safe to cross from January until early March.
Light from the nearest star takes a little more than four years to reach us.
Indexes are written once and never changed; a new version gets a new name.
"""

LANGUAGES = """
Wie viel Paracetamol darf ein Kind mit 20 kg Körpergewicht am Tag bekommen?
Où puis-je déposer ma demande de remboursement ?
La temperatura mínima del almacén no debe bajar de dos grados.
O paciente deve permanecer em jejum durante oito horas antes da cirurgia.
Il treno per Trieste parte dal binario sette alle 9:45.
Hoeveel dagen van tevoren moet ik de vergaderzaal reserveren?
Jak często należy wymieniać filtr powietrza w samochodzie?
Пациенту следует измерять давление каждое утро.
Η βιβλιοθήκη είναι κλειστή τις Κυριακές.
كم مرة يجب تناول الدواء في اليوم؟
שעות הפתיחה של המוזיאון הן מתשע עד חמש.
दवा खाने के बाद ही लें।
病人应在饭后服用此药，每日三次。
会議は午後三時から始まります。
회의는 오후 세 시에 시작합니다.
ยานี้ควรรับประทานหลังอาหาร
Thuốc này nên uống sau bữa ăn.
İlacı yemekten sonra alınız, günde üç kez.
"""

ODD = """
a
42
?!
😀👍🏽
x = y ** 2 + 3 * z[i]; // comment
SELECT name, COUNT(*) FROM visits GROUP BY name HAVING COUNT(*) > 3;
https://example.org/docs/index.html?lang=en#section-2
THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG
pneumonoultramicroscopicsilicovolcanoconiosis
E = mc², ΔG = ΔH − TΔS, ∑xᵢ ≤ ∞
"""

SCRIPTS = """
naïve café résumé coöperate façade jalapeño smörgåsbord Ångström piñata
e\u0301 a\u0308 n\u0303 o\u0302\u0323 u\u0308\u0304 combining marks in a row\u0301\u0302\u0303\u0304\u0305
Å Å Å: angstrom sign, letter with ring, letter and ring
Zażółć gęślą jaźń; příliš žluťoučký kůň; Đuro šalje ćevapčiće
Straße, GROẞE STRASSE, ﬁrst ﬂight, ŉ ǆ ǅ Ǆ ĳ
ΣΊΣΥΦΟΣ Οδυσσεύς ΆΈΉΊΌΎΏ ΐΰ ᾳ ᾼ ῼ
ЁЖИК ёжик Щука Їжак Ґанок Ђак Љубав Њушка
Իմ անունը Արամ է։ Այո՛
ქართული ენა ᲥᲐᲠᲗᲣᲚᲘ
שָׁלוֹם עוֹלָם, עברית בלי ניקוד
اَلْعَرَبِيَّةُ لغة جميلة؛ هل تتكلم؟ ١٢٣٤
فارسی زبان من است ۱۲۳ می‌خواهم
हिन्दी में लिखा हुआ वाक्य। संयुक्ताक्षर: क्ष त्र ज्ञ
বাংলা ভাষা কো কৌ মোটর
தமிழ் மொழி கொ கோ கௌ
తెలుగు భాష ಕನ್ನಡ ಭಾಷೆ മലയാളം കോഴി കൊച്ചി
සිංහල කෝ කො ගෞරව
ภาษาไทยไม่มีช่องว่างระหว่างคำ น้ำ ผู้ใหญ่
ພາສາລາວ မြန်မာဘာသာ ភាសាខ្មែរ བོད་ཡིག
ትግርኛ አማርኛ ። ፣ ᏣᎳᎩ ᐃᓄᒃᑎᑐᑦ
中文和English混合 汉字漢字 㐀㒨 𠀀𠮷野家
豈更車賈 﨎 侮 丽 兤: compatibility ideographs
日本語のカタカナ ﾊﾝｶｸ ガギグ ｶﾞｷﾞ ぱぴぷ が〆々〇
한국어 형태소 각 갂 힣 ㄱㄴㄷ ㅏㅑ 가각갉
ꦗꦮ ꧁꧂ ᬅᬆ ᬇᬈ ᜊᜌ᜔ᜊᜌᜒ
😀😃😄 👨‍👩‍👧‍👦 👍🏽 🏳️‍🌈 🇩🇪🇯🇵 ❤️ ☺︎ 1️⃣ #️⃣
© ® ™ ℠ № ℡ ℃ ℉ Ω K Å ℮ ⅓ ⅷ Ⅻ
∀x∈ℝ: ∃y ≤ x² ∧ ¬(x ≠ y) ⇒ √x ≈ 1.41 ± 0.01 ∴ ∑∏∫∂∇∞
≠ ≮ ≯ ≰ ≱ ∄ ∉ ∌ ⊄ ⋠ ⫝̸ ↚ ↛ ⇍
« guillemets » „quotes“ ‚single‘ ‹angle› “double” ‘single’ 「kagi」『double』【lens】〈angle〉〈old〉
dash - – — ― ‐ ‑ − ﹣ － ellipsis … · • ‣ ※ † ‡ § ¶ ¿ ¡
¢ £ ¤ ¥ € ₹ ₽ ₿ ¬ ¦ ¨ ´ ¸ ` ^ ~ ¯ ° º ª µ ¹ ² ³ ¼ ½ ¾ × ÷
0.5 mg b.i.d., 2×10⁹/L, 37.5°C, 120/80 mmHg, HbA1c 6.5%, pH 7.35–7.45, SpO₂ ≥ 92 %, Na⁺ 140 mmol/L
5mg 5 mg 5.0mg 1,000 IU 10^6 1e-5 0x1F 3:1 1:1000 q8h t.i.d. IL-6 COVID-19 CD4+ α-tocopherol β₂-agonist μg µg
don't can't it's rock'n'roll o’clock l’été state-of-the-art e.g. i.e. U.S.A. Mr. Dr. Ph.D.
snake_case camelCase kebab-case SCREAMING_SNAKE a.b.c a/b/c a\\b\\c <tag attr="v"> {json: [1, 2]} $PATH @user #tag
user@example.org ftp://host:21/path;type=a C:\\Windows\\System32 ~/.config/file.toml 192.168.0.1 fe80::1%eth0
tab\tseparated\tvalues line\nbreak carriage\rreturn both\r\nvertical\u000bform\u000cfeed
nbsp\u00a0here figure\u2007space thin\u2009space hair\u200aspace ideographic\u3000space ogham\u1680mark narrow\u202fnbsp math\u205fspace
zero\u200bwidth\u200cnon\u200djoiner\u2060word\ufeffbom soft\u00adhyphen mongolian\u180evowel
line\u2028separator paragraph\u2029separator next\u0085line file\u001cgroup\u001drecord\u001eunit\u001fend
nul\u0000in the\u0000middle bell\u0007 backspace\u0008 escape\u001b[31mred\u001b[0m delete\u007f c1\u0080\u009f
replacement\ufffdcharacter object\ufffcreplacement interlinear\ufff9a\ufffab\ufffb noncharacter\ufdd0\uffff
private\ue000use\uf8ff plane15\U000f0000 plane16\U0010fffd tag\U000e0001\U000e0061
rtl\u200fmark ltr\u200emark \u202aembed\u202c \u202eoverride\u202c \u2066isolate\u2069
variation\ufe0e\ufe0f selectors\U000e0100 \u034f grapheme joiner \u061c arabic letter mark
𝐁𝐨𝐥𝐝 𝒮𝒸𝓇𝒾𝓅𝓉 𝔉𝔯𝔞𝔨𝔱𝔲𝔯 𝟙𝟚𝟛 ⓒⓘⓡⓒⓛⓔⓓ ｆｕｌｌｗｉｄｔｈ ＡＢＣ１２３ ﬀ ﬃ ﷺ
𝅗𝅥 𝅘𝅥𝅮 𝄞 musical, 𐐀𐐨 deseret, 𞤀𞤢 adlam, 𒀀 cuneiform, 𓀀 hieroglyph, 𐌰 gothic
[CLS] and [SEP] and [MASK] and [PAD] and [UNK] literally; [cls] [Sep] [MASK [[MASK]]
wordswith[SEP]inside un[UNK]known ##ing ## # ##a
Iıİi ŞĞÇ dotted and dotless; ǰ ẖ ẗ ẘ ẙ ẚ ẛ
Tiếng Việt: Nguyễn Huệ ươ ƯƠ ầẩẫấậ ĐĐđ
ľščťžýáíé ÄÖÜäöüß åæø ÅÆØ þð ÞÐ œŒ łŁ ħĦ ıŧŦ
a\u0338b =\u0338 <\u0338 >\u0338 \u0301 \u0301\u0301 lone marks \u20dd\u20e3 \u0488\u0489
"""

# Composed into long paragraphs, and cut and mixed for the tokenizer.
PLACES = "the ward, the mill, the harbour office, a mountain hut, the registry, the laboratory, the workshop".split(", ")
SUBJECTS = "The nurse, Our team, A trained volunteer, The night porter, Every new member, The inspector, A second reader".split(", ")
VERBS = "checks, records, cleans, labels, repairs, counts, compares, signs for, carries away, photographs".split(", ")
OBJECTS = (
    "the oxygen cylinders, the incoming parcels, each logbook, the brass fittings, the blood samples, "
    "the unread letters, the spare keys, the temperature curves, the broken instruments, the seed trays"
).split(", ")
REASONS = (
    "because mistakes are found late and cost lives, so that nobody has to guess in the morning, "
    "although the rules ask for it only once a week, before the first visitors arrive at a quarter past eight, "
    "unless the thermometer shows less than 4 °C, while the other shift prepares 2.5 litres of fresh solution, "
    "since the insurance pays nothing without a signature, which takes about twenty minutes if nothing is missing"
).split(", ")
