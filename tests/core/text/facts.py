"""Facts an agent might keep, each with a word and a short piece that should find it again.

One line per fact: text, probe word, probe piece of two or three characters (`-` where no one would
search for one). `FACTS` was at hand while the analyser was tuned, `HELD_OUT` was written after.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Fact:
    """A remembered sentence and what a user types to find it."""

    text: str
    word: str
    piece: str | None


def _facts(lines: str) -> tuple[Fact, ...]:
    rows = [tuple(map(str.strip, line.split("|"))) for line in lines.strip().splitlines()]
    return tuple(Fact(text, word, None if piece == "-" else piece) for text, word, piece in rows)


FACTS: Final = _facts("""
Ann prefers green tea and never drinks coffee after noon. | coffee | tea
The quarterly report is due on the third Friday of March. | quarterly | rte
Our staging cluster runs in Frankfurt behind a bastion host. | bastion | sta
Bob is allergic to peanuts and to shellfish. | allergies | pea
The landlord changed the alarm code in the basement. | landlord | ala
Customer Globex renews its contract every December. | Globex | glo
Deployments freeze two weeks before Christmas. | deployment | fre
Maria's daughter plays the cello in a youth orchestra. | cello | orc
The invoice template lives in the shared finance folder. | invoices | inv
Backups are encrypted with a hardware key kept in the safe. | encrypt | bac
Weekly planning happens on Tuesdays at half past nine. | planning | tue
The old billing service still writes to a legacy queue. | legacy | que
Peter moved from Lisbon to Rotterdam last summer. | Rotterdam | lis
Never email the auditors directly; ask Priya first. | auditor | pri
Our mascot is an otter named Pixel. | otter | pix
The parking permit for the van expires in October. | permit | van
Release notes must mention every breaking change. | breaking | bre
She asked for vegetarian food on the flight to Oslo. | vegetarian | veg
The washing machine makes a grinding noise when spinning. | washing | gri
Coffee beans come from a roaster in the harbour district. | roaster | har
The thesis defence was moved to the small auditorium. | thesis | def
Hotel reservations are refundable until Thursday evening. | refundable | hot
Die Besprechung mit dem Steuerberater ist am Donnerstag. | Steuerberater | ste
Frau Müller möchte Rechnungen nur noch per Post erhalten. | Rechnung | mül
Der Schlüssel zum Keller hängt neben der Garderobe. | Schlüssel | gar
Unsere Heizung wird jedes Jahr im Herbst gewartet. | Heizung | hei
Die Straße vor dem Büro ist bis August gesperrt. | strasse | str
Das Passwort für das WLAN steht auf dem Router. | Passwort | wla
Jürgen übernimmt die Bereitschaft am Wochenende. | Bereitschaft | ber
Die Versicherungen für das Lager laufen im Juni aus. | Versicherungen | lag
Der Zahnarzt hat den Termin auf Montag verschoben. | Zahnarzt | zah
Einstellungen für den Drucker liegen im Handbuch. | Einstellung | dru
Oma feiert ihren neunzigsten Geburtstag in Görlitz. | Geburtstag | gör
Die Kündigungsfrist beträgt drei Monate. | Kündigungsfrist | kün
Am Freitag kocht Lukas Käsespätzle für alle. | Lukas | käs
Der Server im Keller heißt Rübezahl. | Rübezahl | rüb
Lieferungen kommen immer über die Rampe im Hof. | Lieferung | ram
La réunion du comité est reportée au mercredi. | réunion | com
L'adresse du siège est au douze rue des Lilas. | adresse | lil
Chloé préfère travailler depuis son atelier à Nantes. | atelier | nan
Les journaux d'accès sont conservés trente jours. | journaux | acc
Le plombier passera vérifier la chaudière mardi matin. | chaudière | plo
Notre fournisseur d'électricité change en septembre. | électricité | fou
Il faut arroser les géraniums tous les deux jours. | géraniums | arr
Benoît est responsable de la sauvegarde des données. | sauvegarde | ben
Le chat de la voisine s'appelle Moustache. | moustache | voi
Aucune livraison n'est possible pendant les vacances. | livraison | vac
Le mot de passe du coffre a été changé hier. | coffre | cof
La traduction du contrat sera prête pour l'été. | traduction | tra
Les élèves visitent le musée maritime en avril. | musée | mus
Pas de gluten pour Hélène lors du déjeuner d'équipe. | Hélène | glu
La contraseña del almacén cambia cada trimestre. | contraseña | alm
Los servidores de Bogotá se reinician los domingos. | servidor | bog
Mi hermana estudia arquitectura en Valparaíso. | arquitectura | val
El proveedor de café envía las facturas por correo. | facturas | pro
No programar reuniones los viernes por la tarde. | reunión | vie
El niño tiene clase de natación los martes. | natación | niñ
Las canciones de la lista son para la boda de Inés. | canción | bod
Javier guarda la llave del garaje bajo la maceta. | garaje | mac
El informe anual lo revisa siempre Lucía. | informe | luc
La impresora del tercer piso no tiene tóner. | impresora | tón
Hay que regar el jardín antes de las ocho. | jardín | reg
El vuelo a Montevideo sale con retraso. | Montevideo | vue
Nuestra oficina cierra durante la Semana Santa. | oficina | ofi
Carmen lleva las cuentas de la cooperativa. | cooperativa | cue
Резервные копии базы данных хранятся в Казани. | базы | каз
Встреча с заказчиком перенесена на четверг. | встречи | зак
Ольга не ест мёд и орехи. | орехи | мёд
Ключ от серверной лежит у охранника. | ключи | охр
Договор аренды заканчивается в декабре. | договора | аре
Поезд в Новосибирск отправляется вечером. | Новосибирск | пое
Бабушка любит пирог с капустой. | бабушке | пир
Пароль администратора меняется каждый квартал. | пароли | ква
Дмитрий отвечает за мобильное приложение. | приложения | дми
Зимой офис открывается в десять утра. | зима | утр
Счёт за электричество нужно оплатить до пятницы. | счет | опл
Новый стажёр говорит по-фински. | стажер | фин
Кот соседей боится пылесоса. | пылесос | кот
Ремонт крыши начнётся весной. | крыша | рем
Отчёт по продажам готовит Светлана. | отчеты | све
اجتماع الفريق يوم الثلاثاء في القاهرة. | القاهرة | قاه
تفضل سارة القهوة بدون سكر. | القهوة | سكر
كلمة المرور للمكتب تتغير كل شهر. | المرور | شهر
ينتهي عقد الإيجار في نهاية العام. | الايجار | عقد
أحمد يعمل من المنزل يوم الخميس. | احمد | خمي
النسخ الاحتياطي محفوظ في الخزانة. | الخزانة | نسخ
موعد الطبيب بعد صلاة الظهر. | الطبيب | طبي
تصل الشحنة إلى ميناء الإسكندرية. | ميناء | شحن
يدرس عمر الهندسة في جامعة بغداد. | الهندسة | بغد
المفتاح الاحتياطي عند الجيران. | المفتاح | جير
لا ترسل الفواتير بالبريد. | الفواتير | فوا
مُحَمَّد مسؤول عن قاعدة البيانات. | محمد | قاع
सर्वर का बैकअप हर रविवार को होता है। | बैकअप | सर्
मीना को अदरक वाली चाय पसंद है। | अदरक | चाय
किराये का अनुबंध जून में समाप्त होगा। | अनुबंध | जून
ग्राहक ने नई रिपोर्ट मांगी है। | रिपोर्ट | ग्र
दिल्ली कार्यालय सोमवार को बंद रहेगा। | दिल्ली | सोम
राहुल को मूंगफली से एलर्जी है। | मूंगफली | एलर
पासवर्ड हर तीन महीने में बदलता है। | पासवर्ड | पास
बिजली का बिल पंद्रह तारीख तक भरना है। | बिजली | बिल
दादी का जन्मदिन नवंबर में आता है। | जन्मदिन | दाद
नई मशीन की वारंटी दो साल की है। | वारंटी | मशी
परियोजना की बैठक शाम को होगी। | परियोजना | बैठ
अनीता मुंबई से पुणे जा रही है। | मुंबई | पुण
数据库备份每天凌晨两点执行。 | 备份 | 凌晨
小王对花生过敏。 | 花生 | 过敏
季度报告由财务部负责。 | 财务部 | 季度
会议室的投影仪坏了。 | 投影仪 | 投影
客户希望用繁体中文写合同。 | 合同 | 繁体
服务器机房在三楼。 | 机房 | 三楼
李老师喜欢喝龙井茶。 | 龙井 | 井茶
项目的截止日期是十月底。 | 截止日期 | 截止
奶奶住在杭州西湖边。 | 杭州 | 西湖
生产环境禁止直接修改配置。 | 配置 | 禁止
发票要寄到上海分公司。 | 发票 | 上海
每周三下午打羽毛球。 | 羽毛球 | 球
新员工的密码需要重置。 | 密码 | 重置
快递放在门口的柜子里。 | 快递 | 柜子
航班改到星期五早上。 | 航班 | 早上
使用Docker部署推荐系统。 | 推荐 | 部署
来週の会議は木曜日に変更されました。 | 会議 | 木曜
田中さんはそばアレルギーがあります。 | アレルギー | そば
バックアップは大阪のデータセンターにある。 | 大阪 | バック
請求書は月末までに送ってください。 | 請求書 | 月末
犬の名前はポチです。 | ポチ | 犬
駐車場の契約は三月に切れる。 | 駐車場 | 契約
パスワードは金庫に保管している。 | 金庫 | パス
祖母は京都で茶道を教えている。 | 茶道 | 京都
新しいプリンターは二階に置いた。 | プリンター | 二階
出張の予約は鈴木さんに頼む。 | 鈴木 | 出張
毎朝七時に散歩する習慣がある。 | 散歩 | 習慣
契約書の翻訳は来月完成予定。 | 翻訳 | 完成
サーバーの再起動は深夜に行う。 | 再起動 | 深夜
娘はピアノを習っている。 | ピアノ | 娘
주간 회의는 화요일 오전에 열립니다. | 회의 | 화요
민수는 땅콩 알레르기가 있다. | 땅콩 | 민수
서버 백업은 부산에 보관한다. | 백업 | 부산
청구서는 매달 말일에 보내세요. | 청구서 | 청구
할머니 생신은 시월입니다. | 할머니 | 생신
비밀번호는 금고 안에 있다. | 비밀번호 | 금고
주차장 계약이 곧 끝난다. | 주차장 | 계약
지영은 재택근무를 선호한다. | 재택근무 | 지영
새 프린터는 이층에 있습니다. | 프린터 | 이층
고양이 이름은 나비이다. | 고양이 | 나비
출장 항공권은 취소되었다. | 항공권 | 출장
배포는 금요일에 하지 않는다. | 배포 | 금요
รหัสผ่านไวไฟอยู่ใต้เราเตอร์ | รหัสผ่าน | ไวไ
ประชุมทีมทุกวันพุธตอนเช้า | ประชุม | พุธ
คุณยายชอบกินทุเรียน | ทุเรียน | ยาย
สำนักงานเชียงใหม่ปิดวันเสาร์ | เชียงใหม่ | เสา
הפגישה עם רואה החשבון נדחתה ליום שני. | החשבון | פגי
דנה אלרגית לבוטנים. | לבוטנים | דנה
המפתח הרזרבי אצל השכנים. | המפתח | שכנ
הגיבוי נשמר בחיפה. | הגיבוי | חיפ
Toplantı İstanbul ofisinde öğleden sonra yapılacak. | istanbul | top
Ayşe fıstığa karşı alerjik. | fıstığa | ayş
Kira sözleşmesi ağustosta bitiyor. | sözleşmesi | kir
Yedekler Ankara'daki kasada saklanıyor. | Ankara | yed
Η συνάντηση μεταφέρθηκε στη Θεσσαλονίκη. | θεσσαλονικη | συν
Ο Γιώργος είναι αλλεργικός στα καρύδια. | Γιώργος | καρ
Το συμβόλαιο λήγει τον Μάιο. | συμβόλαιο | μάι
Ο κωδικός του συναγερμού άλλαξε. | κωδικός | ναγ
The parser is written in C++ and builds with CMake. | C++ | cma
The plugin host is C# on .NET eight. | C# | net
Pricing models are prototyped in F# notebooks. | F# | not
The kernel module stays in plain C for now. | kernel | ker
The linter insists on snake_case for functions. | snake_case | sna
CSS classes follow kebab-case naming. | kebab-case | keb
We pinned the client to v1.2.3-rc.1 until Monday. | v1.2.3-rc.1 | rc
Extra names for the lab go into /etc/hosts there. | /etc/hosts | etc
ProcessEvent must stay idempotent. | ProcessEvent | pro
HTTPServer2 replaces the threaded listener. | HTTPServer2 | htt
Ubuntu 20.04 images are no longer patched. | 20.04 | ubu
Write to ops@example.com about certificates. | ops@example.com | ops
The dashboard is at https://grafana.internal/d/7xk?org=2 now. | grafana | gra
Set $XDG_CACHE_HOME before running the tests. | $XDG_CACHE_HOME | xdg
Commit with --no-verify only for hotfixes. | --no-verify | hot
Prefer std::unique_ptr to raw pointers. | std::unique_ptr | ptr
The rate limit is 1,000 requests per minute. | 1000 | req
Feature flag enableDarkMode is on for beta users. | enableDarkMode | dar
Redis listens on port 6380 in the sandbox. | 6380 | red
Use asyncio.TaskGroup rather than gather. | asyncio.TaskGroup | gat
The nginx config is rendered by Ansible. | Ansible | gin
Run pytest -x --lf before pushing. | --lf | pyt
The multi-agent demo needs two GPUs. | multi-agent | gpu
Kubernetes namespace payments-eu has a quota. | payments-eu | kub
SELECT ... FOR UPDATE deadlocks in nightly_rollup. | nightly_rollup | dea
The webhook secret is stored as WEBHOOK_KEY. | WEBHOOK_KEY | web
Error E0502 comes from the borrow checker. | E0502 | bor
ptr->next was null in list_splice. | ptr->next | spl
Node.js 22 is required for the docs site. | Node.js | nod
Don't call __del__ from the finalizer thread. | __del__ | del
The CLI reads ~/.config/lamp/settings.toml first. | settings.toml | lam
Issue #4711 tracks the memory leak. | #4711 | lea
Sensors report over MQTT to topic plant/7/temp. | MQTT | mqt
Branch fix/utf8-bom was merged by Ines. | fix/utf8-bom | bom
Python3 wheels are built for musllinux. | musllinux | mus
The team reacts with 🦦 when a deploy succeeds. | 🦦 | -
Budget for the offsite is 4500 € in total. | € | off
Postgres uses scram-sha-256 for every role. | scram-sha-256 | scr
""")

HELD_OUT: Final = _facts("""
Grandpa keeps his hearing aid batteries in the blue tin. | battery | hea
The museum asks visitors to leave umbrellas at the entrance. | umbrella | mbr
Sofia wants meeting minutes as bullet points, not paragraphs. | paragraph | bul
Our telescope mount needs new bearings before the eclipse. | eclipse | tel
Vendor onboarding takes ten business days. | onboarding | ven
Der Hausmeister liest die Zählerstände im Januar ab. | Hausmeister | zäh
Die Fahrräder stehen im Schuppen hinter der Werkstatt. | Werkstatt | fah
Sabine verträgt keine Laktose. | Laktose | sab
Le boulanger livre les croissants avant sept heures. | croissant | bou
L'ascenseur est en panne jusqu'à la semaine prochaine. | ascenseur | pan
Margaux préfère recevoir les devis en couleur. | devis | mar
El gato de Tomás duerme sobre el radiador. | radiador | gat
Las entradas del teatro están en el cajón. | entradas | tea
La abogada pide copia del pasaporte. | abogada | pas
Велосипед стоит на балконе до весны. | велосипеды | бал
Учитель музыки приходит по субботам. | музыка | уч
Билеты в театр лежат в ящике стола. | билет | ящи
تحتاج ليلى إلى نظارة جديدة. | نظارة | ليل
القطار إلى دمشق يتأخر دائما. | القطار | دمش
مفتاح السيارة في الدرج. | السيارة | درج
शिक्षक शुक्रवार को छुट्टी पर हैं। | शिक्षक | छुट
रसोई का नल टपक रहा है। | रसोई | नल
साइकिल की चाबी मेज़ पर है। | साइकिल | मेज
孩子们星期六上钢琴课。 | 钢琴 | 琴课
地铁站离酒店步行五分钟。 | 地铁 | 酒店
医生建议少吃盐。 | 医生 | 盐
図書館の本は金曜までに返す。 | 図書館 | 返す
眼鏡は引き出しの中にある。 | 眼鏡 | 引き
弟は来年留学する予定だ。 | 留学 | 弟
도서관은 월요일에 쉰다. | 도서관 | 월요
안경은 서랍 속에 있다. | 안경 | 서랍
อาจารย์ลาพักร้อนเดือนหน้า | พักร้อน | ลาพ
Öğretmen cuma günü izinli olacak. | öğretmen | izi
Το ποδήλατο είναι στην αποθήκη. | αποθήκη | ποδ
Objective-C headers are generated by swiftc. | Objective-C | swi
The scheduler reads CRON_TZ, not TZ. | CRON_TZ | cro
Tag images as app:2.0.0-beta.7 before the demo. | 2.0.0-beta.7 | bet
Temporary uploads land in /var/tmp/ingest-q. | /var/tmp/ingest-q | ing
renderMarkdownTable drops empty rows. | renderMarkdownTable | ren
torch.nn.functional.gelu is slow on the old card. | torch.nn.functional.gelu | gel
""")
