//! The lists that the rules read: words by what they say about their neighbours, and phrases that announce something.
//!
//! Everything is in small letters without accents, as [`super::view::low`] writes it.

/// What a phrase announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cue {
    /// A name, in whatever case it is written.
    Name,
    /// A name, if a colon follows.
    NameField,
    /// A name or any other word: "I am".
    Am,
    /// A name, behind a title.
    Title,
    /// A name, if one follows that is not the beginning of a term: "patient".
    Role,
    /// A name, if a person is named as such: "from".
    From,
    /// A name that a letter begins with: "Dear".
    Greeting,
    /// A name that a letter ends with: "Regards,".
    Closing,
    /// A person of full name, or something that did it instead: "referred by".
    By,
    Phone,
    Birth,
    Record,
    Passport,
    Social,
    Nhs,
    Card,
    Iban,
    Secret,
    /// A postal address.
    Address,
}

/// A cue and its tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct CueAt {
    pub(super) cue: Cue,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Never part of a name.
pub(super) const STOP: u32 = 1;
/// Between the parts of a name: "van der".
pub(super) const PARTICLE: u32 = 1 << 1;
/// A given name.
pub(super) const GIVEN: u32 = 1 << 2;
/// A given name that is a word as well, and so says little in small letters.
pub(super) const WORDLIKE: u32 = 1 << 3;
pub(super) const MONTH: u32 = 1 << 4;
/// What is counted or measured: no telephone number stands before it.
pub(super) const UNIT: u32 = 1 << 5;
/// What a number belongs to that is nobody's: "ISBN".
pub(super) const CATALOG: u32 = 1 << 6;
/// Behind an eponym: "disease".
pub(super) const DISEASE: u32 = 1 << 7;
/// A disease, a sign or a scale is named after it.
pub(super) const EPONYM: u32 = 1 << 8;
/// "my".
pub(super) const POSSESSIVE: u32 = 1 << 9;
/// "son".
pub(super) const KIN: u32 = 1 << 10;
/// Kinds of streets that stand behind the name: "street".
pub(super) const STREET: u32 = 1 << 11;
/// Kinds of streets that stand before the name: "rue", "calle".
pub(super) const STREET_FIRST: u32 = 1 << 12;
/// The states of the United States, in two letters.
pub(super) const STATE: u32 = 1 << 13;
/// Between a cue and what it announces: "number is".
pub(super) const FILLER: u32 = 1 << 14;
/// What is said of a person: "has", "presented".
pub(super) const VERB: u32 = 1 << 15;
/// Between possessive and kin: "younger".
pub(super) const ADJECTIVE: u32 = 1 << 16;
/// A title, as a word: "Dr".
pub(super) const TITLE: u32 = 1 << 17;
/// A part of an address: "flat".
pub(super) const UNIT_OF_HOUSE: u32 = 1 << 18;
/// A possessive of German, whose nouns have capitals too.
pub(super) const GERMAN: u32 = 1 << 19;
/// Behind a name: "Jr".
pub(super) const SUFFIX: u32 = 1 << 20;
/// "and".
pub(super) const AND: u32 = 1 << 21;
/// What houses are called: "cottage".
pub(super) const HOUSE: u32 = 1 << 22;
/// What a record belongs to: "patient", "file".
pub(super) const RECORD: u32 = 1 << 23;
/// Between such a word and its number: "id".
pub(super) const NUMBER: u32 = 1 << 24;
/// Says nothing of what a text is about: grammar, and how somebody is reached.
pub(super) const SMALL: u32 = 1 << 25;

pub(super) const CLASSES: &[(u32, &str)] = &[
    (
        STOP | SMALL,
        "a about above according across after again against all almost along already also although always am among an \
        and another any anyone anything are around as at away back be because been before behind being below besides \
        best better between both but by call called came can cannot case could daily day days did do does doing done \
        down dr due during each eg either else even ever every everyone everything far few find first follow \
        following for former found from full further gave general get getting gets give given gives go goes going good \
        great had has have having he hello help her here hers hi him his how however i ie if in including indeed instead \
        into is it its itself just keep kept know known large last late later least left less like likely list long look \
        made mainly make makes many may maybe me mean means meanwhile might mine miss more most much must my myself near \
        need needs neither never new next no nobody none nor not nothing now number of off often old on once one only \
        onto or order other others our ours out over own page part past people per perhaps please possible probably put \
        question quite rather read really reason right s said same saw say says second see seen several shall she short \
        should show since small so some someone something sometimes soon still such sure take taken takes taking tell \
        than thank thanks that the their them themselves then there thereby therefore these they thing think this those \
        though three through throughout thus to today together tomorrow too took toward towards two type under unless \
        until up upon us use used uses using usually very via was we week weeks well went were what when whenever where \
        whereas wherever whether which while who whoever whole whom whose why will with within without would year years \
        yes yesterday yet you your yours yourself t re ve ll d m \
        aber alle als am auch auf aus bei bin bis bitte da damit dann dass das dem den der des die dies diese dieser dir \
        doch dort du durch ein eine einem einen einer eines er es fur gegen hat hatte ich ihm ihn ihr ihre im in ist ja \
        jetzt kann kein keine konnen man mein meine mich mir mit muss nach nicht noch nun nur oder ob ohne schon sehr \
        sein seine seit sich sie sind so soll uber um und uns unter viel vom von vor wann war warum was weil welche wenn \
        wer werden wie wieder wir wird wo zu zum zur zwei \
        ai alors apres au aucun aussi autre aux avant avec avoir car ce cela ces cet cette chez comme comment dans de \
        depuis des deux donc du elle elles en encore entre est et etait ete etes etre eux fait il ils je jour la le les \
        leur lors lui mais mal me meme mes moins mon ne nos notre nous on ont ou par pas pendant peu plus pour pourquoi \
        quand que quel quelle qui sa sans se ses si son sont sous suis sur ta te tes toi ton tous tout tres trop tu un \
        une vers vos votre vous y \
        a al algo algunas antes asi aun aunque cada como con contra cual cuando de del desde despues donde dos durante \
        el ella ellas ellos en entonces entre era es esa ese eso esta estaba estan estar estas este esto estos estoy fue \
        ha habia hace han hasta hay la las le les lo los mas me mi mientras mis mucho muy nada ni no nos nosotros o otra \
        otro para pero poco por porque pues que quien se sea segun ser si sido sin sobre son soy su sus tambien tan te \
        tengo tiene tienen todo todos tu un una uno usted y ya yo \
        anche ancora che chi ci come con cosa cui da dal dalla degli dei del della delle di dopo dove e gli ha hanno ho \
        i il in io la le lei loro lui ma mi mia mio ne nel nella noi non o per perche piu poi quando quello questa \
        questo se sei si sia siamo sono su sua sul suo tra tu tutti un una uno va voi \
        ao aos as ate com da das de dela dele do dos e ela ele em essa esse esta estou eu foi ha isso isto ja mais mas \
        meu minha muito na nao nas no nos o os ou para pela pelo por qual quando que quem se sem ser seu sua tem tenho \
        um uma voce",
    ),
    // What follows "patient" and the like, and other words that begin with a capital in headings.
    (
        STOP,
        "dose doses drug ability access account acuity adherence admission advice advocacy advocate adult age agreement aged aid \
        allergy allergic anxious app application appointment area arm arrival assessment assistant attendant autonomy \
        available awake bed benefit bill billing blood board body booklet calm cancer cardiac care caregiver carer \
        category centered centred charge charter chart check child childcare children choice class clinic clinical clinician \
        clinicians code cohort college comfort communication community complaint compliance concern condition confidentiality \
        consent consult contact continues control controlled coordinator cost council count counselling counseling criteria \
        data database death deceased decision decubitus demographics denies department details develops diabetic diabetes \
        diagnosis diagnosed dialysis diary diet dignity discharge disease doctor doctors donor ed education eligibility \
        emergency empowerment encounter engagement enrollment er error exam examination exercise experience expectations \
        exposure factors falls family febrile feedback feels female fever file flow focus follow followup form fund \
        gender global goals group groups guardian guidance guide guideline guidelines handbook handling handout handover \
        health healthcare height helpline history home hospital hypertension identification identifier illness imaging \
        improvement inclusion incident index infection info information initiative injury inpatient instruction \
        instructions insulin insurance intake interview intubated involvement journey judge kinetics knowledge lab label \
        leaflet level liaison lift lifting line literacy load location log male management manager manual master material \
        materials measure medication medications medicine medicines meeting member mode model monitor monitoring mortality \
        name named names needs network newly nhs notes notice notification nurse nurses nursing nutrition obesity office \
        organization organisation outcome outcomes outpatient outreach package pain panel partner participation party \
        pathway payment permanent perspective pharmacy physician physicians plan platform policy pool population portal \
        position positioning positive preferences pregnant pregnancy preparation prescribed prescription presentation \
        presents presented privacy procedure process profile program programme progress protection protocol provider \
        quality questionnaire rate ratio reaction record records recovery recruitment reference referral registration \
        registry rehabilitation reminder report reported reports representative research resident resource resources \
        response responsibilities result results review rights risk room rounds rule safety sample satisfaction schedule \
        score screening section self selection service services session severity severe sex sheet simulator size slide \
        social society software specialist specific specimen staff stage state status story stories study subgroup \
        suffers summary supervision supplies supply support surgeon survey survival symptoms system table taking team test \
        tests therapist therapy time total tracker training transfer transport travel treated treatment trial triage \
        trust unit unwell update user vaccine values visit visits vital volume vulnerable ward warning weight welfare \
        wellbeing worker workflow workup zero zone google internet api server client application docker linux windows \
        english german french spanish italian portuguese chinese american british european indian african asian \
        wrong missing misspelled misspelt spelled spelt correct incorrect listed written unknown private secret required optional common \
        monday tuesday wednesday thursday friday saturday sunday christmas easter ramadan diwali urgent colleague colleagues \
        doc doctors team all parents editor friends sirs surgery theatre theatres oncall kollege kollegin kollegen damen herren zusammen \
        doktor professor ober lehrer pfarrer apotheker direktor practitioner practitioners specialist specialists midwives officer \
        assistants consultants educator world guys folks everybody somebody nobody winter spring morning evening afternoon noon midnight \
        night shift desk board crew committee department group unit trustees editors \
        heart failure kidney liver lung brain chest chronic acute saline normal band registrar fellow intern trainee cardiothoracic \
        vascular palliative orthopaedic orthopedic paediatric pediatric surgical neonatal maternity obstetric geriatric psychiatric \
        dental renal hepatic pulmonary respiratory gastric thoracic spinal speech language occupational school poison tracing alert \
        oriented comfortable afebrile asymptomatic none nil anonymous fracture stenosis aortic mitral atrial sodium potassium \
        calcium magnesium iron lithium vitamin aspirin heparin digoxin warfarin smokes drinks coughs snores oncall centre center \
        infirmary institute customer customers applicant visitor visitors reader readers led university foundation \
        rare empty blank visible hidden shown displayed printed stored catholic muslim jewish christian hindu buddhist vegan vegetarian diabetic asthmatic hypertensive",
    ),
    // What follows the words for relatives and physicians in their own languages.
    (
        STOP,
        "diabete diabetes krebs fieber husten schmerzen grippe asthma rheuma hausarzt termin arzt arztin praxis \
        klinik krankenhaus versorgung akte verfugung aufklarung sicherheit \
        hopital maladie traitement fievre douleur medecin docteur enfermedad fiebre dolor medico doctor doctora \
        hospital tratamiento malattia febbre dolore dottore ospedale paziente febre dor doenca",
    ),
    (
        SMALL,
        "mail email contact reach reached reachable reaching write writing reply answer respond send sent speaking signed \
        name names surname id details asking wishes erreichen erreichbar schreiben antwort antworten heisse joindre ecrire \
        repondre contacter appelle escribir responder contactar llamo correo scrivere rispondere contattare chiamo escrever \
        chamo",
    ),
    (
        PARTICLE,
        "de da do das dos del della di du des der den la las le los van von vom zu zur zum ter ten te af av al el \
        bin ibn ben abu lo bint binti ould ul ur i y e san dei degli delle st st. mac mc o d l",
    ),
    (GIVEN, super::given::NAMES),
    (GIVEN | WORDLIKE, super::given::WORDLIKE),
    (
        MONTH,
        "january jan february feb march mar april apr may june jun july jul august aug september sep sept october \
        oct november nov december dec januar janner februar marz mai juni juli oktober dezember dez janvier janv fevrier \
        fevr mars avril avr juin juillet juil aout septembre octobre novembre decembre enero ene febrero marzo abril abr \
        mayo junio julio agosto ago septiembre setiembre octubre noviembre diciembre dic gennaio gen febbraio aprile \
        maggio mag giugno giu luglio lug settembre set ottobre ott dicembre janeiro fevereiro fev marco maio mai junho \
        julho setembro outubro out novembro dezembro januari februari maart mei augustus",
    ),
    (
        UNIT,
        "mg mcg ug g kg ml l dl cl mm cm m km mmol mol umol nmol iu ie ui ng pg hz khz mhz ghz kb mb gb tb kib mib gib \
        bytes byte bit bits ms sec secs second seconds min mins minute minutes h hr hrs hour hours day days week weeks \
        month months year years yr yrs patients participants people persons subjects cases deaths women men children \
        adults doses tablets capsules units drops beds percent kcal cal kj mmhg bpm beats mv ma v w kw px pt rpm lines \
        rows requests tokens users euro euros eur usd dollars pounds gbp times points pages files items records samples \
        patienten tabletten kapseln personen pacientes pazienti calories copies cells million billion",
    ),
    (
        CATALOG,
        "isbn issn doi nct pmid pmc pmcid isrctn eudract rfc iso iec en din ean gtin upc version versions release \
        build sku model serial part order lot batch grant article chapter section figure fig table page pages pp vol \
        volume issue equation commit revision rev cve cas orcid clinicaltrials registration registered protocol standard \
        invoice tracking port ports line lines error code codes grid coordinates latitude longitude lat lon timestamp \
        epoch hash guideline pin sequence accession genbank snomed loinc icd rxnorm ndc catalogue catalog v",
    ),
    (
        DISEASE,
        "disease diseases syndrome syndromes sign signs test tests criteria criterion score scale palsy chorea \
        lymphoma sarcoma tumor tumour nephropathy thyroiditis struma manoeuvre maneuver procedure operation method rule \
        law reflex phenomenon reaction stain staining equation formula fracture contracture ulcer body bodies hernia \
        tube catheter encephalopathy psychosis dementia ataxia dystrophy esophagus oesophagus anemia anaemia cell cells \
        triad position classification classification staging stage grade index technique node nodes point line loop \
        valve forceps virus fever abscess murmur respiration breathing aphasia area curve effect model distribution \
        regression algorithm theorem trial study jelly solution medium agar laser repair incision flap splint bandage \
        krankheit morbus syndrom zeichen maladie enfermedad malattia doenca sindrome signo segno",
    ),
    (
        EPONYM,
        "parkinson parkinsons alzheimer alzheimers crohn crohns hodgkin hodgkins huntington huntingtons graves addison \
        addisons cushing cushings hashimoto wilson wilsons marfan turner klinefelter kawasaki raynaud raynauds sjogren \
        sjogrens behcet guillain barre tourette wernicke korsakoff bell bells paget pagets meniere menieres down downs \
        edwards patau ehlers danlos lyme ebola chagas hansen dupuytren barrett barretts peyronie still stills kaposi \
        ewing wilms burkitt glasgow apgar wells babinski murphy mcburney kussmaul cheyne stokes fahrenheit celsius \
        bayes poisson gauss cox kaplan meier fisher pearson spearman bonferroni likert heimlich valsalva trendelenburg \
        gram giemsa ziehl neelsen doppler holter foley swan ganz lister pasteur cochrane child pugh ranson duke \
        framingham killip braden norton barthel karnofsky ecog zollinger ellison budd chiari fontan fallot ebstein \
        brugada wolff white cockcroft gault lewy creutzfeldt jakob batten gaucher tay sachs niemann pick friedreich \
        charcot marie tooth duchenne becker lambert eaton von willebrand epstein barr coombs reye osgood schlatter \
        perthes legg colles smith baker bowen henoch schonlein goodpasture wegener churg strauss takayasu buerger \
        virchow homan",
    ),
    (
        POSSESSIVE,
        "my our his her mi mis mon ma mes notre mio mia nostro nostra meu minha mijn onze nuestro nuestra",
    ),
    (POSSESSIVE | GERMAN, "mein meine meinem meinen meiner unser unsere unserem unseren unserer"),
    (
        KIN,
        "son daughter wife husband mother mom mum mam mommy mummy father dad daddy brother sister baby child kid infant \
        newborn toddler boy girl twin twins uncle aunt auntie cousin nephew niece grandmother grandma granny nan nana \
        grandfather grandpa grandad granddad grandson granddaughter stepson stepdaughter stepfather stepmother \
        boyfriend girlfriend partner fiance fiancee spouse friend roommate flatmate colleague coworker boss manager \
        neighbour neighbor doctor gp physician nurse midwife dentist surgeon therapist psychiatrist counsellor \
        counselor pediatrician paediatrician cardiologist oncologist neurologist carer caregiver teacher patient client \
        sohn tochter frau mann mutter vater mama papa bruder schwester kind onkel tante oma opa enkel enkelin neffe \
        nichte freund freundin partnerin kollege kollegin chef nachbar nachbarin arzt arztin hausarzt hausarztin patientin \
        fils fille femme mari mere maman pere frere soeur enfant oncle ami amie medecin docteur voisin voisine \
        hijo hija esposa esposo marido mujer madre padre hermano hermana abuela abuelo tia tio primo prima amigo amiga \
        medico medica novio novia \
        figlio figlia moglie marito fratello sorella nonna nonno zia zio amico amica compagno compagna \
        filho filha mae pai irmao irma avo namorado namorada zoon dochter vrouw man moeder vader broer zus",
    ),
    (
        ADJECTIVE,
        "younger older elder eldest youngest oldest little late dear best good new old elderly only first second \
        twin baby adult teenage adopted poor lovely beloved current former own primary family year month week day kleine \
        kleiner kleinen alte jungster jungere altere petit petite grand grande pequeno pequena piccolo piccola",
    ),
    (
        STREET,
        "street st str road rd avenue ave av lane ln drive dr boulevard blvd court ct place pl way close crescent cres parade pde circuit cct wynd brae villas gate green park \
        terrace ter square sq highway hwy parkway pkwy row mews gardens gdns grove hill walk circle cir trail trl loop \
        quay rise vale view drove esplanade promenade turnpike alley wharf",
    ),
    (
        STREET_FIRST,
        "jalan jln lorong rue avenue boulevard bd impasse allee chemin quai place cours route passage square calle avenida avda \
        paseo plaza camino carrera via viale piazza corso vicolo largo strada rua travessa praca alameda estrada rambla \
        carrer ctra carretera ronda avda pza plac aleja ul os av al rynek osiedle utca",
    ),
    (
        STATE,
        "al ak az ar ca co ct de fl ga hi id il in ia ks ky la me md ma mi mn ms mo mt ne nv nh nj nm ny nc nd oh ok \
        or pa ri sc sd tn tx ut vt va wa wv wi wy dc pr",
    ),
    (
        FILLER,
        "number numbers no nr num id is are was code numero nummer num n es est ist lautet e era was the my his her \
        on am le el il em het op as of nº reads",
    ),
    (
        VERB,
        "has have had is was were presents presented reports reported complains complained takes took needs needed came \
        comes denies denied states stated says said wants asked asks feels felt went weighs suffers developed underwent \
        received receives lives called phoned aged hat ist war leidet klagt kommt nimmt braucht a est etait prend \
        souffre tiene es esta toma padece ha prende tem esta toma who with and",
    ),
    (
        TITLE,
        "capt captain lt sgt col matron rabbi imam shri smt fru pani dhr mevr lady lord dame mister dr mr mrs ms miss mx prof professor doctor sir madam rev pastor father sister nurse senor senora senorita sra \
        srta dra herr herrn frau monsieur madame mme mlle mademoiselle signor signora signore dott dottor dottoressa \
        dona mevrouw meneer",
    ),
    (
        UNIT_OF_HOUSE,
        "flat apartment apt suite ste unit room rm floor fl house building bldg block no villa plot sector \
        shop level apto appt bat batiment piso lok whg wohnung top stiege etage og tur interno int scala esc",
    ),
    (
        HOUSE,
        "cottage rectory lodge farm farmhouse manor vicarage villa barn house hall grange residency apartments nivas bhavan \
        enclave towers tower bungalow croft priory mansions chambers residence heights estate society",
    ),
    (
        RECORD,
        "patient pt patients hospital hosp case chart file record medical admission unit account acct insurance policy member \
        health encounter visit episode client folder dossier subscriber beneficiary claim registration medicare medicaid \
        paciente expediente historia paziente cartella pacjenta akte patienten journal pasient chi nhi urn ur mrn clinic scheme",
    ),
    (NUMBER, "number no num nr id identifier ref reference file code nummer numero # nº"),
    (SUFFIX, "jr sr ii iii iv"),
    (AND, "and und et y e og en"),
];

pub(super) const CUES: &[(Cue, &str)] = &[
    (
        Cue::Name,
        "my name is|' s name is|my name ' s|my full name is|my names|the name is|name ' s|his name is|her name is|their name is|\
        patient name is|whose name is|i am called|i ' m called|people call me|call me|ich heisse|ich heiße|mein name ist|\
        mein name lautet|er heisst|er heißt|sie heißt|sie heisst|je m ' appelle|mon nom est|mon nom c ' est|il s ' appelle|\
        elle s ' appelle|me llamo|mi nombre es|se llama|su nombre es|mi chiamo|il mio nome e|si chiama|me chamo|\
        chamo - me|meu nome e|o meu nome e|ik heet|mijn naam is|patient named|patient called|a man named|a woman named|\
        a boy named|a girl named|someone named|someone called|меня зовут|mam na imie|nazywam sie|jmenuji se|volam se|jag heter|jeg heter|jeg hedder|nimeni on|ma numesc|benim adim|patients name is|patients name|pt name is|pts name is|mothers name is|sons name is|daughters name is|name on the card is|\
        name on the card|name on card|under the name|under the name of|registered as|registered under|patient is called|she is called|he is called|\
        son is called|daughter is called|wife is called|husband is called|baby is called|i go by|goes by the name|our names are|\
        zovem se|mera naam|my surname is|my first name is|my last name is|name of the patient is|patient ' s name is",
    ),
    (
        Cue::NameField,
        "name|names|patient|pt|client|full name|first name|last name|surname|family name|given name|\
        patient name|patient ' s name|next of kin|emergency contact|contact|contact person|attending|attending physician|\
        consultant|physician|doctor|client name|name of patient|name of the patient|name of client|imie i nazwisko|namn|navn|nazwisko|imie|referring physician|guardian|signature|attn|recipient|sender|\
        nok|caller|carer|caregiver|kontakt|kontaktperson|notfallkontakt|angehoriger|angehorige|contacto|persona de contacto|\
        contatto|familiar|mother|son|daughter|wife|husband|account holder|cardholder|card holder|name des patienten|vorname|nachname|nom|prenom|nombre|apellido|apellidos|\
        nombre y apellidos|paciente|cognome|nome|paziente|nome e cognome|nom du patient|patientin|naam",
    ),
    (
        Cue::Am,
        "i am|i ' m|im|this is|it is|it ' s|here is|ich bin|hier ist|hier spricht|je suis|c ' est|soy|sono|sou|ik ben|\
        ask for|asked for|meet",
    ),
    (
        Cue::Title,
        "capt|capt .|captain|lt|lt .|sgt|sgt .|col .|matron|rabbi|imam|shri|smt|smt .|fru|pani|mevr|mevr .|lady|lord|dame|mister|dr|dr .|mr|mr .|mrs|mrs .|ms|ms .|miss|mx|mx .|prof|prof .|professor|doctor|sir|rev|rev .|pastor|\
        father|sister|nurse|senor|senora|senorita|sr .|sr|sra|sra .|srta|srta .|dra|dra .|don|dona|herr|herrn|frau|monsieur|\
        madame|mme|mme .|mlle|mlle .|mademoiselle|m .|signor|signora|signore|sig .|sig . ra|dott|dott .|dott . ssa|\
        dottor|dottoressa|mevrouw|meneer|dhr .|mw .|prof . dr .|prof . dr|herr dr .|frau dr .|herr dr . med .|frau dr . med .|herrn dr .|dr . med .|\
        mr and mrs|mr . and mrs .",
    ),
    (
        Cue::Role,
        "patient|pt|pt .|client|mrs|patientin|patienten|paciente|paziente|the patient|our patient|my patient|\
        a patient|new patient|la patiente|le patient|el paciente|la paciente|resident|pacjent|pacjentka|pacjenta|pasient|pasienten|il paziente|la paziente|o paciente|a paciente|der patient|die patientin|de patient|patientin frau",
    ),
    (
        Cue::From,
        "from|by|named|called|for|with|to|about|met|von|par|por|para|cc|contact|ask|told|tell|attn|attention",
    ),
    (
        Cue::Greeting,
        "dear|hello|hi|hey|good morning|good afternoon|lieber|liebe|sehr geehrter|cher|chere|estimado|estimada|querido|querida|\
        caro|cara|beste|kara|bonjour|hola|hallo|guten tag|ciao|ola",
    ),
    (
        Cue::Closing,
        "regards|regards ,|sincerely|sincerely ,|best|best ,|best wishes|best wishes ,|kind regards|kind regards ,|\
        best regards|best regards ,|warm regards|warm regards ,|many thanks|yours|yours ,|yours sincerely|\
        yours sincerely ,|yours faithfully|yours faithfully ,|yours truly|yours truly ,|cheers|cheers ,|thanks|thanks ,|\
        thank you|thank you ,|many thanks ,|thanks again|thanks again ,|love ,|signed|signed ,|signed :|\
        mit freundlichen grussen|mit freundlichen grußen|viele grusse|viele gruße|liebe grusse|liebe gruße|gruße|grusse|\
        cordialement|cordialement ,|saludos|saludos ,|atentamente|atentamente ,|cordiali saluti|cordiali saluti ,|\
        atenciosamente|atenciosamente ,|ta|ta ,|thx|thx ,|thanks in advance|thanks in advance ,|xx|all the best|all the best ,|merci|merci ,|gracias|gracias ,|danke|danke ,|lg|vg|groetjes|pozdrawiam|mvh",
    ),
    (
        Cue::By,
        "seen by|referred by|signed by|written by|reviewed by|prescribed by|assessed by|examined by|admitted by|admitted under|\
        accompanied by|brought in by|called by|phoned by|operated by|completed by|reported by|witnessed by|countersigned by|\
        under the care of|in the care of|care of|on behalf of|discussed with|spoke with|spoke to|speak to|speak with|\
        spoken to|spoken with|speaking with|talk to|talked to|handed over to|referred to|refer to|letter from|message from|\
        call from|email from|note from|visit from|followed by dr|known to|informed|contacted|updated",
    ),
    (
        Cue::Phone,
        "phone|telephone|tel|mobile|cell|cellphone|fax|call|calling|ring|dial|whatsapp|sms|text|pager|bleep|\
        callback|call back|reach me|contact number|number is|my number|hotline|helpline|telefon|telefonnummer|handy|\
        handynummer|mobil|anrufen|rufen|ruf|rufnummer|durchwahl|telefono|movil|celular|llame|llamar|llameme|llamame|\
        telephone|portable|appelez|appeler|fixe|cellulare|chiamami|chiamare|chiamate|telefone|telemovel|ligue|ligar|telefoon|\
        mobiel|bellen|bel",
    ),
    (
        Cue::Birth,
        "dob|d . o . b .|d . o . b|date of birth|birth date|birthdate|birthday|birthday is|born|born on|geboren|\
        geboren am|geb .|geb . am|geburtsdatum|geburtstag|ne le|nee le|date de naissance|nacido el|nacida el|naci el|nacio el|\
        nacido|nacida|fecha de nacimiento|nato il|nata il|data di nascita|nascido em|nascida em|nasci em|data de nascimento|\
        geboren op|geboortedatum|f . nac .|fdn",
    ),
    (
        Cue::Record,
        "mrn|mrns|medical record|medical record number|medical record no|medical record #|medical record id|\
        hospital number|hospital no|hospital id|hospital record|patient id|patient number|patient no|patient identifier|\
        patient #|patient record|case no|case number|case id|case #|chart no|chart number|chart #|chart|record no|\
        record number|record #|file number|file no|insurance number|insurance no|insurance id|insurance policy|\
        policy number|policy no|policy #|member id|member number|membership number|subscriber id|medicare number|\
        medicare no|medicare id|medicare|medicaid id|medicaid number|medicaid|health card|health card number|\
        health insurance number|hicn|mbi|chi|chi number|chi no|unit number|unit no|unit #|episode number|episode no|wristband|wristband number|lab number|lab no|specimen number|specimen no|sample number|sample no|account number|account no|acct|acct no|acct number|\
        customer number|customer id|client id|client number|employee id|employee number|student id|staff id|encounter id|\
        encounter number|admission number|visit number|accession number|prescription number|rx number|rx #|patientennummer|\
        patienten - id|patientennr|fallnummer|fallnr|aktenzeichen|versichertennummer|krankenversicherungsnummer|\
        krankenkassennummer|kundennummer|mitgliedsnummer|numero de dossier|numero patient|numero du patient|\
        numero de patient|dossier|ipp|numero de historia clinica|historia clinica|numero de historia|numero de paciente|\
        nhc|numero de expediente|numero di cartella|cartella clinica|numero cartella|tessera sanitaria|codice paziente|\
        prontuario|numero do prontuario|numero do paciente|cartao sus|patientnummer|bsn|hospital mrn|emr|ehr id|nhi|nhi number|\
        account|customer no|claim number|claim no|referral number|ur number|urn",
    ),
    (
        Cue::Passport,
        "passport|passport number|passport no|passport #|passport id|reisepass|reisepassnummer|passnummer|\
        personalausweis|personalausweisnummer|ausweisnummer|passeport|numero de passeport|carte d ' identite|\
        pasaporte|numero de pasaporte|dni|cedula|passaporto|carta d ' identita|passaporte|numero de passaporte|\
        cartao de cidadao|cpf|rg|paspoort|paspoortnummer|driver ' s license|driver ' s licence|drivers license|\
        drivers licence|driver license|driving licence|driving license|license number|licence number|\
        driver ' s license number|driving licence number|fuhrerschein|fuhrerscheinnummer|permis de conduire|\
        permiso de conducir|patente di guida|carta de conducao|id card|id card number|identity card|identity card number|\
        national id|national id number|national identity number|visa number|residence permit|green card|a - number|aadhaar|\
        aadhaar number|pan card|nric|pesel|personnummer",
    ),
    (
        Cue::Social,
        "ssn|ssns|social security|social security number|social security no|social security #|social security card|\
        soc sec|social insurance number|sin number|national insurance|national insurance number|national insurance no|\
        ni number|ni no|nino|itin|tax id|tax id number|tin|sozialversicherungsnummer|rentenversicherungsnummer|steuer - id|\
        steueridentifikationsnummer|securite sociale|numero de securite sociale|nir|numero secu|seguridad social|\
        numero de seguridad social|numero de la seguridad social|codice fiscale|numero da seguranca social|nif",
    ),
    (Cue::Nhs, "nhs|nhs number|nhs no|nhs #|nhs id"),
    (
        Cue::Card,
        "credit card|credit card number|debit card|debit card number|card number|card no|card #|visa|mastercard|\
        master card|amex|american express|kreditkarte|kreditkartennummer|kartennummer|carte bancaire|carte de credit|\
        numero de carte|tarjeta|tarjeta de credito|numero de tarjeta|carta di credito|numero di carta|cartao de credito",
    ),
    (Cue::Iban, "iban|iban number|iban no"),
    (
        Cue::Secret,
        "password|passwort|kennwort|passwd|passphrase|api key|api - key|api _ key|apikey|secret key|access key|\
        access token|auth token|token|bearer|secret|mot de passe|contrasena|senha|wachtwoord|client secret|client _ secret|\
        access _ token|secret _ key|private key|security code|cvv|cvc|pin code|otp|one - time code|verification code",
    ),
    (
        Cue::Address,
        "address|my address|home address|mailing address|postal address|live at|lives at|living at|lived at|\
        i live in|i live on|resides at|residing at|live in|lives in|lives on|located at|moved to|ship to|send it to|\
        deliver to|zip|zip code|zipcode|postcode|post code|postal code|wohne|wohnt|wohnhaft|adresse|anschrift|plz|\
        postleitzahl|j ' habite|habite|demeurant|code postal|domicile|direccion|domicilio|vivo en|vive en|codigo postal|\
        indirizzo|abito in|abita in|residente in|endereco|residence|residing in|resident at|resident of|stays at|staying at|based at|delivered to|delivery to|send to|mail to|\
        post to|posted to|ship it to|home is|home :|pick up at|pick up from|collect from|discharged to|visit at|registered at|next door at|\
        domicilie|domiciliee|domiciliado en|domiciliada en|morada|morada :|bor pa|bor i|bostad|adress|mieszkam|mieszka|zamieszkaly|zamieszkala|\
        wohnhaft in|zu hause|mon adresse|mi direccion|il mio indirizzo|meu endereco|adres :|moro na|moro no|mora na|resido na|cep|adres|woon|woont",
    ),
];
