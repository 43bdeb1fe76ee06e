//! Given names, which tell a person behind a weak cue ("I am Maria") from any other word ("I am Type 2").

/// Given names that are hardly anything else, in small letters without accents.
pub(super) const NAMES: &str = "aaron abdul abdullah abigail adam adrian adriana agnes agnieszka ahmad ahmed aisha akira \
    alan alba albert alberto alejandra alejandro aleksander alessandra alessandro alex alexander alexandra alexandre alexis \
    alfonso alfred alfredo ali alice alicia alina alison allison alvaro amanda amelia amelie amir amira amina amy ana anastasia \
    anders andre andrea andreas andreea andrei andrej andrew andrzej angela angelica angelina angus anita anja anna annabelle \
    anne annette annika anthony antje antoine antonia antonio anton arjun arthur arturo astrid audrey aurelie ayesha barbara \
    bartosz beatrice beatriz beatrix ben benedikt benjamin bernadette bernard bernd bert bertha beth betty bianca bjorn bob boris \
    brandon brenda brendan brian bridget britta bruno bryan caleb camila camilla camille carla carlo carlos carmela carmen \
    carol carolina caroline carolyn cassandra catalina caterina catherine cathy cecilia cedric celine chantal charles charlie \
    charlotte chiara chloe chris christa christian christiane christina christine christoph christophe christopher claire clara \
    claudia claudio clemens clement colin colleen connor conor corinna craig cristian cristiano cristina curtis cynthia \
    dagmar damian dan daniel daniela daniele danielle danny darren dave david davide deborah debbie denis denise dennis derek \
    diana diane diego dieter dimitri dirk dmitri dominic dominik dominique donald donna dora doris dorothea dorothy doug \
    douglas dylan eddie edgar edith eduardo edward edwin eileen elaine eleanor elena eleonora elias elif elisa elisabeth elise \
    eliza elizabeth ella ellen elliot eloise elsa emil emilia emilie emilio emily emma emmanuel enrico enrique eric erica erich \
    erik erika ernesto ernst esther ethan eugene eva evan eve evelyn fabian fabio fabrizio fatima fatma federica federico felicity \
    felipe felix ferdinand fernanda fernando filip fiona florian florence francesca francesco francis francisca francisco \
    francois francoise franz fred frederic frederick frederik friedrich fritz gabriel gabriela gabriele gareth gary gavin \
    geoffrey george georgia georgina gerald gerard gerda gerhard gertrud gianluca gianni giacomo gillian gina giorgio giovanna \
    giovanni giulia giuseppe gloria gonzalo gordon graham greg gregor gregory greta guillaume guillermo gunter gustav gustavo \
    hamza hannah hanna hannes hans harald haruto harold harriet harry hassan heather hector heike heiko heinrich heinz helen helena \
    helene helga helmut hendrik henri henrik henry herbert hermann hilda hiroshi holger howard hubert hugh hugo ian ibrahim ignacio \
    igor ilse imran ines inga inge ingrid ioana irena irene irina isaac isabel isabella isabelle ismail ivan ivana ivy jacek jackie \
    jacob jacqueline jacques jake jakob jakub james jamie jan jana jane janet janice janina jasmin jason javier jean jeanette \
    jeanne jeff jeffrey jennifer jenny jens jeremy jerome jesse jessica jesus jill jim jimmy joan joana joanna joanne joao \
    jochen joe joel joachim johan johann johanna johannes john johnny jon jonas jonathan jordan jorge jose josef joseph \
    josephine josh joshua joyce juan juana juanita judith judy julia julian juliana julie julien juliet julio justin jurgen \
    karen karim karin karina karl karla karolina katarina katarzyna kate katerina katharina katherine kathleen kathrin kathy katie \
    katja katrin keiko keith kelly ken kenji kenneth kerry kerstin kevin khalid kim kimberly kirsten klaus konrad kristen \
    kristin kristina krzysztof kurt kwame kyle lara larissa larry lars laszlo laura lauren laurence laurent lea leah leila \
    lena leo leon leonardo leonie leslie leticia lewis li liam lidia lilian lilly lina linda lindsay lisa lorena lorenzo \
    louis louisa louise luc luca lucas lucia luciana lucie lucy ludwig luigi luis luisa luise lukas luke lydia lynn maciej \
    madeleine magda magdalena malcolm malik manfred manuel manuela marc marcel marcela marcelo marco marcos marcus margaret \
    margarita margarete margherita maria mariam mariana marianne marie marija marina mario marion marius marko markus marlene marta \
    martha martin martina marvin mary maryam mateo mateusz mathias mathieu matilda matt matteo matthew matthias maureen maurice \
    maurizio max maximilian maya megan mehmet mei melanie melissa mercedes mia michael michaela michal michel michele michelle \
    miguel mikael mike mikhail milan mila miriam mohamed mohammad mohammed moritz monica monika monique muhammad mustafa nadia \
    nadine nancy naomi natalia natalie natasha nathalie nathan neil nelson nicholas nick nicola nicolas nicole nigel nikita \
    nikola nikolai nina noah noemi noor nora norbert norma norman nuno nuria olaf oleg olga oliver olivia olivier omar oscar oskar otto \
    pablo paloma pam pamela paola paolo pascal patricia patrick patrizia patrik paul paula pauline pavel pawel pedro penelope \
    petra peter philip philipp philippa phillip phoebe phyllis pierre pietro pilar piotr priya rachel rafael rahul raj raja \
    ralf ralph ramon raphael raquel rashid raul raymond rebecca regina reinhard renata renate rene rhys ricardo riccardo \
    richard rita rob robert roberta roberto robin rodrigo roger roland rolf roman ronald ronny rosa rosalind rosario roxana \
    rosemarie ruben rudolf rupert russell ruth ryan sabine sabrina said salma salvatore sam samantha samir samuel sandra \
    sandro santiago sanjay sara sarah saskia scott sean sebastian sergei sergio seth shannon sharon shaun sheila shirley \
    siegfried sigrid silke silvia simon simona simone sofia sonia sonja sophia sophie stacey stan stanislav stefan stefania \
    stefanie stella steffen stephanie stephen steve steven stuart susan susana susanna susanne suzanne sven svetlana sylvia \
    sylvie tamara tania tanja tara tariq tatiana ted teresa terry thea theo theodor theresa therese thomas thorsten tiago tim \
    timo timothy tina tobias tom tomas tomasz tommy toni tony tracy trevor tristan ulrich ulrike ursula ute uwe valentina \
    valeria valerie vanessa vera verena veronica veronika veronique vicente vicky victor victoria viktor viktoria vincent \
    vincenzo virginia vivian viviana vladimir walter waltraud wanda wei wendy werner wilfried wilhelm william wolfgang xavier \
    yasmin yolanda yuki yusuf yvette yvonne zoe zofia zuzanna anya nikhil deepak sunita ananya ravi suresh lakshmi chen ming jin \
    hiro aiko sakura minh linh thuy nguyen kofi ama chidi ngozi amara oluwaseun tunde zainab hussein leyla mehdi farah \
    aditi alasdair aleksandra amadou aminata anjali aoife ashok asma aysha babajide benoit bilal bogdan bronwen carys \
    chiamaka chinedu ciaran clemence dafydd deirdre devika dilip dimitrios eilidh emeka enzo eoin fatou fatoumata \
    fergus funmi gethin gita goran gwen gwendolyn hamish haroon ifeoma imogen isla jadwiga jaroslav jasna jiri kamala \
    kareem kasia kavita kiran lachlan lakisha latoya leticia lorna lucjan mairead malgorzata mamadou manoj manon marek \
    marisol maximo milos mirela mirjana mohamad naveen neha niamh nikos nneka oksana olumide oona padraig pooja \
    priyanka rafal ramesh rania rashida rhiannon rohan roisin rukmini saoirse seamus shanice shreya sibusiso sinead \
    siobhan sipho sneha soren swati tadeusz tanvi tariro temitope thandiwe tomasz vaclav vikram wojciech yaw yetunde \
    yiannis zahra zbigniew \
    мария анна иван елена ольга наталья сергей алексей дмитрий";

/// Given names that are English words, months or places as well.
pub(super) const WORDLIKE: &str = "will mark may june april august grace hope faith joy art bill drew frank jack dawn \
    summer rose ivy lily daisy violet olive iris ruby pearl amber crystal ginger heather holly ray rich rob pat sue sally \
    guy gene dean earl miles chase grant hunter mason carter cooper taylor parker bailey jordan austin dallas paris sydney \
    georgia florence virginia carolina victoria chelsea brooke sky jean don sunny angel christian penny peg nan dick john \
    bob chuck nick jimmy harry randy skip cliff glen heath reed rusty sandy kitty candy cherry lance max victor major miles \
    roman an so can bo do sol mercedes jasmin jesus charity constance patience prudence virtue trinity autumn star storm";
