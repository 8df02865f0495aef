"""Function words by language: short lists of words that tell nothing about a text's subject. They are compared after
normalisation, so accents and capitals make no difference where the text's are taken off."""

from __future__ import annotations

import difflib
from pathlib import Path

from xclare.data.files import decode, open_binary
from xclare.errors import SettingError

NONE = "none"

LANGUAGES: dict[str, str] = {
    "english": """
        a about above after again all also am an and any are as at be because been before being below between both but
        by can could did do does doing down during each for from further had has have having he her here hers him his
        how i if in into is it its just me more most my no nor not of off on once only or other our ours out over own
        same she should so some such than that the their theirs them then there these they this those through to too
        under until up us very via was we were what when where which while who whom why will with would you your yours
    """,
    "german": """
        aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bist da damit dann das dass dein
        deine dem den der des dessen die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen
        einer eines er es euch euer für gegen hat hatte haben hier hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer
        im in ins ist jede jedem jeden jeder jedes kann kein keine können man mein meine mit nach nicht noch nur ob oder
        ohne sehr sein seine seinem seinen seiner sich sie sind so sowie über um und uns unser unter vom von vor war
        waren was weil welche wenn werden wer wie wir wird wo wurde zu zum zur zwischen
    """,
    "french": """
        à afin ai ainsi alors après au aucun aussi autre aux avait avant avec avoir c ce cela ces cet cette chaque comme
        d dans de des donc dont du elle elles en encore entre est et étaient était été être eu eux fait il ils j je l la
        là le les leur leurs lui m ma mais me même mes moi mon n ne ni nos notre nous on ont ou où par pas pendant peu
        plus pour qu quand que quel quelle qui s sa sans se sera ses si son sont sous sur t ta te tes toi ton tous tout
        toute toutes très tu un une vers vos votre vous y
    """,
    "spanish": """
        a al algo algunos ante antes aquel aquella así aún bajo cada como con contra cual cuando de del desde donde dos
        durante e el él ella ellas ellos en entre era eran es esa esas ese eso esos esta está están estas este esto
        estos fue fueron ha había han hasta hay la las le les lo los más me mi mis mientras muy nada ni no nos nosotros
        nuestra nuestro o os otra otro para pero por porque que qué quien se sea según ser si sí sido sin sobre son su
        sus también tan tanto te tiene todo todos tu tus un una uno unos y ya yo
    """,
    "italian": """
        a ad agli ai al alla alle allo anche ancora avere c che chi ci come con contro cui da dagli dai dal dalla dalle
        dallo d dei degli del della delle dello dentro di dove e è ed era erano essere fra fu gli ha hanno ho i il in io
        l la le lei lo loro lui ma me mentre mi mia mio ne negli nei nel nella nelle nello no noi non nostra nostro o
        ogni per perché più poi quale quando quanto quella quelle quelli quello questa queste questi questo se sei senza
        si sia solo sono sopra sotto su sua sue sugli sui sul sulla sulle sullo suo suoi ti tra tu tutti tutto un una
        uno vi voi
    """,
    "portuguese": """
        a à ao aos aquela aquele aquilo as às até através cada com como contra da das de dela dele deles depois desde do
        dos e é ela elas ele eles em entre era eram essa essas esse esses esta está estão estas este estes eu foi foram
        há isso isto já lhe lhes mais mas me mesmo meu meus minha muito na nas não nem no nos nós nossa nosso num numa o
        onde os ou para pela pelas pelo pelos por porque qual quando que quem são se sem ser seu seus sob sobre sua suas
        também te tem ter todo todos tu um uma uns você
    """,
    "dutch": """
        aan al alle als altijd andere ben bij daar dan dat de der deze die dit doch doen door dus een eens en er ge geen
        had heb hebben heeft hem het hier hij hoe hun iets ik in is ja je jij kan kon kunnen maar me meer men met mij
        mijn moet na naar niet niets nog nu of om omdat onder ons onze ook op over reeds te tegen toch toen tot u uit uw
        van veel voor want waren was wat we wel werd wezen wie wij wil worden wordt zal ze zelf zich zij zijn zo zonder
        zou
    """,
}


def stop_words(choice: str) -> list[str]:
    """The words of a language, of a file with one word a line, or none."""
    if choice == NONE:
        return []
    if choice in LANGUAGES:
        return LANGUAGES[choice].split()
    if not Path(choice).is_file():
        near = difflib.get_close_matches(choice, LANGUAGES, n=1)
        hint = f"did you mean {near[0]!r}? Known" if near else "known"
        raise SettingError(
            f"text.stop_words = {choice!r} is neither a known language nor a file; {hint} are {NONE}, "
            f"{', '.join(LANGUAGES)}."
        )
    with open_binary(choice) as file:
        lines = file.read().removeprefix(b"\xef\xbb\xbf").split(b"\n")
    return [word for number, line in enumerate(lines, 1) if (word := decode(line, choice, number).strip())]
