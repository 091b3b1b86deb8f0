"""The words the synthetic web is written in: plain lists.

English has parts of speech because most pages are English and should read like prose; the other languages have common words,
enough for a charset detector to recognise them.
"""


def _listed(text: str) -> tuple[str, ...]:
    return tuple(text.split())


ADJECTIVES = _listed(
    "quiet narrow patient early broken silver distant careful hollow modern northern gentle rough bright ancient common "
    "curious daily earnest faithful golden heavy idle jagged keen lively muddy noble orderly pale rapid salty tidy upper "
    "vivid wooden young abandoned brisk coastal dusty empty fragile green humble inner late modest open plain restless "
    "shallow thirsty urban warm"
)

NOUNS = _listed(
    "harbour engine garden ledger river market window bridge letter teacher captain valley orchard station library "
    "workshop kitchen mountain village compass lantern printer railway island factory meadow theatre blanket carriage "
    "doctor festival glacier hammer journal kettle ladder mirror needle ocean parcel quarry ribbon saddle tunnel umbrella "
    "violin wheel yard almanac barrel canal driver estuary fence gallery hedge inventor jacket keeper lighthouse mill "
    "notebook oven pilot question reservoir signal tower uncle vessel weaver archive basket chapel dairy edition ferry"
)

VERBS = _listed(
    "carries follows repairs measures describes crosses remembers supplies watches borrows counts delivers explains "
    "gathers hides improves joins keeps leaves mentions needs observes paints questions reaches sells teaches visits "
    "weighs answers builds catches draws enters feeds guards helps invites lights moves names opens passes records shapes"
)

PREPOSITIONS = _listed("beside behind under beyond near within above across along around before after against through without")

ADVERBS = _listed(
    "slowly often rarely gladly perhaps usually twice quietly together nearly always sometimes carefully again later "
    "already seldom mostly early everywhere"
)

ENGLISH_PATTERNS = (
    "The {a} {n} {v} the {n} {p} the {n}.",
    "A {n} {p} the {n} {d} {v} every {a} {n}.",
    "When the {n} {v} a {n}, the {a} {n} {d} {v} it.",
    "No {n} {v} the {a} {n} unless the {n} {p} it {v} the {n}.",
    "In the {n}, a {a} {n} {v} what the {n} {v} {d}.",
    "Some say that the {n} {v} the {n}; others that it {d} {v} a {a} {n}.",
    "{d} the {a} {n} {v} its {n}, and the {n} {v} the rest.",
    "Nobody who {v} the {n} {p} the {a} {n} {d} {v} a {n} there.",
    "The {n} and the {n} {p} it are {a}, yet each {v} the {n}.",
    "What the {a} {n} {v} in spring, the {n} {v} {p} the {a} {n} in autumn.",
)

FRENCH = _listed(
    "le la les une des dans pour avec sans très été forêt château élève même être là où déjà après première fenêtre "
    "rivière école année père mère frère pêche bibliothèque théâtre musée marché légère tempête mémoire société idée "
    "côté hôtel île août noël français leçon garçon façade reçu naïf maïs voilà"
)

RUSSIAN = _listed(
    "и в не на что это как по но из за для город река книга дорога письмо вечер утро человек работа время жизнь слово "
    "дом рука лето зима остров море станция поезд учитель врач рынок мост окно сад история музыка театр библиотека "
    "который можно нужно всегда иногда сегодня завтра вместе больше меньше хорошо новый старый большой маленький"
)

JAPANESE = _listed(
    "これは その 私たちの 港の 町で 静かな 朝に 新しい 本を 読む 人々が 古い 駅から 電車で 学校へ 行きました 図書館には "
    "たくさんの 手紙が あります 川の 近くに 住んでいる 先生は 毎日 仕事を しています 夏の 夜は 長い 海を 見ながら "
    "ゆっくり 話しました カメラ ニュース テレビ 市場の 山から 窓を 開けて 音楽を 聞く 時間が ありません"
)

KOREAN = _listed(
    "그리고 우리는 오늘 도시에서 작은 책을 읽고 있습니다 강가의 오래된 집은 조용한 아침에 사람들이 많이 찾아옵니다 "
    "학교 선생님 도서관 편지를 썼다 기차역 시장에는 언제나 새로운 이야기가 있다 여름 바다 겨울 산으로 떠났다 음악을 "
    "듣는 시간 창문을 열고 함께 걸었다 다음 내일은 비가 올 것입니다 하지만 매우 좋은 친구와 가족"
)

CHINESE = _listed(
    "我们 今天 在 城市 里 看到 一个 新的 图书馆 这里 有 很多 人 喜欢 读书 河边 的 老 房子 非常 安静 学生 和 老师 "
    "一起 工作 时间 过 得 很快 夏天 海边 冬天 山上 火车站 市场 音乐 电影 窗户 打开 以后 因为 所以 但是 已经 "
    "没有 可以 应该 朋友 家庭 历史 文化 社会 发展 问题 中国 世界"
)
