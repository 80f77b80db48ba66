"""Function words: what a query may leave out when it says something else as well.

Words that carry meaning in another of these languages (`war`, `man`, `son`, `fin`) are left in: a
missed function word costs a little ranking, a dropped subject costs the answer.
"""

from functools import cache
from typing import Final

from lamina.core.text.words import analyse

_WORDS: Final = """
a an the and or but if then than that this these those there here i me my we our you your he him his
she her it its they them their is am are was were be been being do does did done have has had having
of to in on at by for from with about into over under as so not no nor can could will would shall
should may might must what which who whom whose when where why how any some all each just also very
too don't doesn't didn't isn't aren't wasn't won't can't i'm it's what's let's
der die das den dem des ein eine einen einem einer eines und oder aber wenn dann als dass ich du er
sie es wir ihr mich dir mir uns euch sich mein meine dein deine sein seine unser unsere ist sind bin
bist waren wird werden wurde wurden haben hatte hatten kann muss soll nicht kein keine von vom zu
zum zur im ins auf aus bei mit nach seit um an am durch wie wer wo wann warum welche welcher auch
nur noch schon sehr hier
le la les un une de du et ou mais si que qui quoi dont je tu il elle on nous vous ils elles me te se
mon ma mes ton ta tes sa ses notre votre leur leurs ce cet cette ces est sont suis es sommes etes
etait etaient avoir ai avons avez ont avait ne pas plus dans sur sous par pour avec sans chez vers
aux au en comment quand quel quelle quels quelles pourquoi aussi tres
el los las unos unas y o pero como yo tu ella nosotros ellos ellas mi mis su sus nuestro nuestra
esto este esta estos estas ese esa eso soy eres somos son estan estaba estar ser fue ha han he
hay del al con sin para por sobre entre hasta desde lo que quien cual cuales cuando donde porque muy
tambien
il gli uno una e ed ma se perche che chi cui io tu lui lei noi voi loro mio mia suo sua nostro
vostro questo questa questi queste quello quella sono sei siamo siete era erano ho hai abbiamo hanno
non di da dal dalla del della dei delle nel nella nei con su per tra fra come quando dove anche
molto
os um uma uns umas mas nem eu ele ela nos eles elas meu minha seu sua nosso nossa isto esse essa
isso aquele aquela sou somos sao estou estamos foi ter tem temos tinha nao do da dos das no na nas
pelo pela em com sem para qual quais quem onde porque tambem muito
het een en of maar als dat dit deze die ik jij je hij zij ze wij jullie hun mijn jouw zijn haar onze
ben bent was waren wordt worden werd heb hebt heeft hebben had kan moet zal zou niet geen van voor
naar met bij uit op over onder aan te ook nog wat wie waar wanneer waarom hoe welke er
и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по ее мне было вот от
меня еще нет о из ему когда ну ли если уже или ни быть был была были него до вас они тут где есть
для мы тебя их чем чтобы без будет кто этот эта это эти того какой какая какие мой моя мои наш наша
наши ваш свой свои при об под над про
"""


@cache
def stop_tokens() -> frozenset[str]:
    """Return the tokens of the function words of eight languages."""
    return frozenset(token for word in _WORDS.split() for token in analyse(word).wholes)
