"""The token estimate, against counts taken from two public byte-pair vocabularies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.core.text import estimate_tokens

# Each text with the larger of its two counts.
_COUNTED = [
    ("Yesterday I walked to the market and bought some apples, because she visits us now.", 17),
    ("Die Besprechung mit dem Steuerberater wurde auf den kommenden Donnerstag verschoben.", 22),
    ("De vergadering met de boekhouder is verplaatst naar donderdag.", 20),
    ("Los servidores de producción se reinician todos los domingos por la mañana.", 17),
    ("Резервные копии базы данных хранятся в сейфе.", 21),
    ("النسخ الاحتياطي محفوظ في الخزانة.", 24),
    ("सर्वर का बैकअप हर रविवार को होता है।", 36),
    ("数据库备份每天凌晨两点执行。", 13),
    ("バックアップは大阪のデータセンターにある。", 21),
    ("서버 백업은 부산에 보관한다.", 15),
    ("def area(radius: float) -> float:\n    return math.pi * radius ** 2\n", 19),
    ("for (const [k, v] of Object.entries(config)) {\n  console.log(`${k}=${v}`);\n}\n", 24),
    ('{"id": 17, "name": "kettle", "tags": ["kitchen", "steel"], "price": 39.9}', 31),
    ("| name | size |\n|------|------|\n| tea  | 250  |\n", 18),
    ("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", 43),
    ("Określa, czy ten znacznik wpływa na wcięcie i odstępy między wierszami.", 32),
    ("Překládá řádky s českými znaky; účetní přesunula schůzku na čtvrtek.", 38),
    ("Нічого не змінилося: копії зберігаються в її сейфі.", 36),
    ("ইতিহাস সংরক্ষণ করা হয়েছে।", 35),
    ("xkqzjvwpthgbnmrdlscfyeauio qwmznxbtvycrulskdjfhgp", 29),
    ("01J8ZTMRQ4V8GX543WTW4KFSM0 01JC7HN2KQ0WZTMRQ4V8GX543WT", 39),
    ("vuikuyn5zl8k7jl4460mgien8d qtc0x9bd2w4mzr6hs1yk8e3pfn", 36),
    ("v0xLnxQ4/1d5xmaKDII+l5MtpghpAMRwzNGEQ//jAlCRKXRblENfakP0DkY7Hj98ocET", 48),
    ("}#=!_}:--&@<#`]|'}~=]@__.{!'>,%^*(?;+/\\$", 28),
    ("Ｌａｍｉｎａ\u3000ｍｅｍｏｒｙ", 25),
    ("ကမ္ဘာ ဒီနေ့ ကောင်းသောနေ့ဖြစ်သည်", 60),
]


@pytest.mark.parametrize(("text", "counted"), _COUNTED)
def test_the_estimate_is_never_far_below_the_count(text: str, counted: int) -> None:
    assert 0.9 * counted <= estimate_tokens(text) <= 1.8 * counted


def test_nothing_costs_nothing() -> None:
    assert estimate_tokens("") == 0


@given(st.text(min_size=1))
def test_any_text_costs_something_and_never_more_than_its_bytes(text: str) -> None:
    size = len(text.encode("utf-8", "surrogatepass"))
    assert 1 <= estimate_tokens(text) <= 2 * size + 1


@pytest.mark.parametrize(
    "bit", ["a", "A", "aA", "Aé", " ", ".", "1", "é", "漢", "\0", "\ud800", "🦦"]
)
def test_long_runs_are_counted(bit: str) -> None:
    assert estimate_tokens(bit * 5_000) >= estimate_tokens(bit * 50)
