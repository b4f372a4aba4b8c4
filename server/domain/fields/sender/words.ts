/** Names of email fields, in the languages of our pages, the most spoken languages and those of Europe */
export const EMAIL = `
email|emails|mail|email address|mail address|emailaddress|email id|mail id|e-mail addr|electronic mail
e-mail adresse|emailadresse|mailadresse|e-mail anschrift|elektronische post
courriel|adresse courriel|adresse de courriel|adresse e-mail|adresse mail|adresse électronique|adresse de messagerie
mél|courrier électronique|adresse courrier électronique
correo|correo electrónico|correo-e|dirección de correo|dirección de correo electrónico|dirección de email
dirección de e-mail|dirección electrónica|dirección email|dirección e-mail
correio eletrónico|correio eletrônico|endereço de e-mail|endereço de email|endereço e-mail|endereço eletrônico
endereço eletrónico|endereço de correio eletrónico|endereço de correio eletrônico
posta elettronica|indirizzo email|indirizzo e-mail|indirizzo mail|indirizzo di posta elettronica|indirizzo di posta
e-mailadres|mailadres|e-mail adres|adres e-mail|adres email|adres mailowy|adres poczty elektronicznej
poczta elektroniczna|poczta
электронная почта|эл. почта|электронный адрес|почта|адрес электронной почты|адрес эл. почты|адрес почты
электронной почты|имейл|емейл|мейл|мыло|email адрес|адрес email|эл. адрес
електронна пошта|ел. пошта|пошта|адреса електронної пошти|електронна адреса|імейл|електронна поща|имейл адрес
поща|имејл|е-пошта|е-маил|адреса е-поште|е-поща
e-posta|eposta|e-posta adresi|e-posta adresiniz|e-postanız|eposta adresi|mail adresi|mail adresiniz|elektronik posta
email adresi|email adresiniz|e-mail adresi
البريد الإلكتروني|بريد إلكتروني|بريدك الإلكتروني|عنوان البريد الإلكتروني|عنوان بريدك الإلكتروني|عنوان البريد
عنوان بريد إلكتروني|الإيميل|إيميل|ايميلك|البريد
ایمیل|پست الکترونیک|پست الکترونیکی|آدرس ایمیل|نشانی ایمیل|رایانامه|آدرس پست الکترونیکی
ای میل|ای میل ایڈریس|ای میل پتہ|ای میل کا پتہ|برقی پتہ|ایمیل ایڈریس
דוא"ל|דואל|אימייל|מייל|דואר אלקטרוני|כתובת דוא"ל|כתובת אימייל|כתובת מייל|כתובת דואר אלקטרוני|כתובת המייל
ईमेल|ई-मेल|ईमेल पता|ई-मेल पता|ईमेल आईडी|इमेल|ईमेल पत्ता|ई-मेल पत्ता
ইমেইল|ই-মেইল|ইমেল|ই-মেল|ইমেইল ঠিকানা|ই-মেইল ঠিকানা|ইমেল ঠিকানা
ਈਮੇਲ|ਈ-ਮੇਲ|ਈਮੇਲ ਪਤਾ|ઇમેઇલ|ઈમેલ|ઈમેઈલ|ઇમેઇલ સરનામું
மின்னஞ்சல்|மின்னஞ்சல் முகவரி|ఇమెయిల్|ఇ-మెయిల్|ఈమెయిల్|ఇమెయిల్ చిరునామా
ಇಮೇಲ್|ಇ-ಮೇಲ್|ಇಮೇಲ್ ವಿಳಾಸ|ഇമെയിൽ|ഇ-മെയിൽ|ഇമെയിൽ വിലാസം
surel|alamat email|alamat e-mail|alamat surel|emel|e-mel|alamat emel|alamat e-mel|email sampeyan
barua pepe|anwani ya barua pepe|imel|adireshin imel|ኢሜይል|ኢሜል|የኢሜይል አድራሻ
thư điện tử|địa chỉ email|địa chỉ e-mail|địa chỉ thư điện tử|hộp thư|hòm thư|địa chỉ mail
อีเมล|อีเมล์|ที่อยู่อีเมล|อีเมลแอดเดรส
メール|メールアドレス|eメール|eメールアドレス|電子メール|電子メールアドレス|メアド|emailアドレス|e-mailアドレス|mailアドレス
电子邮件|电子邮件地址|电子邮箱|电子邮箱地址|邮箱|邮箱地址|邮件|邮件地址|电邮|电邮地址|电子信箱
電子郵件|電子郵件地址|電子郵箱|電子郵箱地址|郵箱|郵箱地址|郵件|郵件地址|電郵|電郵地址|電子信箱|信箱
이메일|이메일 주소|이메일주소|메일|메일 주소|메일주소|전자우편|전자우편 주소|전자메일|전자 메일
ηλεκτρονικό ταχυδρομείο|διεύθυνση email|διεύθυνση e-mail|ηλεκτρονική διεύθυνση|ηλ. ταχυδρομείο
διεύθυνση ηλεκτρονικού ταχυδρομείου
e-post|epost|e-postadress|epostadress|e-postadresse|epostadresse|mejl|mejladress|mailadress|e-mailadresse
sähköposti|sähköpostiosoite|s-posti|meili|e-posti aadress|e-posti|meiliaadress|netfang|tölvupóstur|tölvupóstfang
e-mailová adresa|emailová adresa|e-mail cím|email cím|emailcím|e-mailcím|elektronikus levélcím
adresă de email|adresa de email|adresă de e-mail|adresa de e-mail|poștă electronică|adresă email
e-pošta|adresa e-pošte|e-mail adresa|adresa elektroničke pošte|elektronička pošta|elektronska pošta
e-poštni naslov|elektronski naslov|e-naslov|el. paštas|el. pašto adresas|elektroninis paštas|e-pasts|e-pasta adrese
correu|correu electrònic|adreça electrònica|adreça de correu|adreça de correu electrònic|posta elektronikoa
ebost|e-bost|cyfeiriad e-bost|ríomhphost|seoladh ríomhphoist|ელფოსტა|ელ-ფოსტა|էլ. փոստ|էլփոստ|электрондық пошта
`

/** Names of a field for the whole name of a person */
export const FULL_NAME = `
name|full name|fullname|complete name|name in full|first and last name|first name and last name|first name last name
name and surname|contact person|real name|from name|display name
vollständiger name|vor- und nachname|vor- und zuname|vorname und nachname|vorname nachname|vorname name
ansprechpartner|ansprechpartnerin|kontaktperson|wie heißen sie|wie heißt du
nom|nom complet|nom et prénom|nom et prénoms|prénom et nom|nom prénom|prénom nom|nom de contact
comment vous appelez vous|comment t appelles tu
nombre|nombre completo|nombre y apellido|nombre y apellidos|nombres y apellidos|nombres|cómo te llamas|cómo se llama
nome|nome completo|nome e sobrenome|nome e apelido|nome e cognome|nominativo|como se chama|come ti chiami
naam|volledige naam|voor- en achternaam|namn|för- och efternamn|navn|fulde navn|fullt navn|fornavn og etternavn
fornavn og efternavn|fullständigt namn|nimi|koko nimi|etu- ja sukunimi|nafn|fullt nafn
imię i nazwisko|jméno|jméno a příjmení|celé jméno|meno|meno a priezvisko|név|teljes név|nume|nume complet
nume și prenume|nume prenume|ime|ime i prezime|ime in priimek|puno ime|vardas ir pavardė|vārds uzvārds|vārds un uzvārds
имя|фио|ф. и. о.|имя и фамилия|фамилия и имя|полное имя|фамилия имя отчество|как вас зовут|как к вам обращаться
ім'я|піб|п. і. б.|ім'я та прізвище|прізвище та ім'я|име|име и фамилия|име и презиме
ad soyad|adınız soyadınız|adınız|adı soyadı|isim|isim soyisim|ad|isminiz
الاسم|الاسم الكامل|اسمك|اسم|الاسم الثلاثي|اسمك الكامل|نام|نام و نام خانوادگی|نام کامل|نام شما|پورا نام|آپ کا نام
שם|שם מלא|שמך|नाम|पूरा नाम|आपका नाम|नाव|पूर्ण नाव|নাম|পুরো নাম|আপনার নাম|ਨਾਮ|ਪੂਰਾ ਨਾਮ|નામ|પૂરું નામ
பெயர்|முழு பெயர்|పేరు|పూర్తి పేరు|ಹೆಸರು|ಪೂರ್ಣ ಹೆಸರು|പേര്|മുഴുവൻ പേര്
nama|nama lengkap|nama penuh|nama anda|pangalan|buong pangalan|jina|jina kamili|suna|cikakken suna|ስም|ሙሉ ስም
họ và tên|họ tên|tên|tên của bạn|tên đầy đủ|ชื่อ|ชื่อ-นามสกุล|ชื่อเต็ม|ชื่อ นามสกุล|ชื่อของคุณ
名前|お名前|ご氏名|氏名|フルネーム|姓名|名字|您的姓名|你的姓名|您的名字|你的名字|联系人|聯絡人|联系人姓名|称呼|稱呼
이름|성함|성명|이름을|고객명|όνομα|ονοματεπώνυμο|nom i cognoms|izen-abizenak|enw|ainm|სახელი|անուն
`

export const FIRST_NAME = `
first name|firstname|fname|given name|givenname|forename|first names|name first|vorname|prénom|prénoms|primer nombre
primeiro nome|voornaam|imię|förnamn|fornavn|etunimi|křestní jméno|keresztnév|utónév|prenume|prename|vardas|vārds
الاسم الأول|שם פרטי|पहला नाम|প্রথম নাম|nama depan|nama pertama|unang pangalan|jina la kwanza|ชื่อจริง|名|ชื่อต้น
`

export const LAST_NAME = `
last name|lastname|lname|surname|family name|familyname|name last|second name|nachname|familienname|zuname
nom de famille|apellido|apellidos|sobrenome|apelido|último nome|cognome|achternaam|nazwisko|efternamn|etternavn
efternavn|sukunimi|příjmení|priezvisko|vezetéknév|nume de familie|prezime|priimek|фамилия|прізвище|презиме|soyad
soyadı|soyadınız|soyisim|اسم العائلة|اللقب|الاسم الأخير|الكنية|نام خانوادگی|שם משפחה|उपनाम|अंतिम नाम|कुलनाम|आडनाव
পদবি|শেষ নাম|nama belakang|nama keluarga|apelyido|jina la mwisho|họ|นามสกุล|姓|姓氏|苗字|성|επώνυμο|επίθετο|cognoms
pavardė|uzvārds
`

/** Words for the sender, or for something that belongs to the sender */
export const SENDER = `
your|my|from|mailfrom|contact|contacts|customer|client|user|sender|submitter|visitor|replyto|reply|applicant|respondent|requester
person|personal|primary|main|own|lead|buyer|attendee|participant|member|author|subscriber|guest|candidate|patient
registrant|inquirer|enquirer|submitted by|private|account|donor|parent|purchaser|passenger|renter|tenant
ihr|ihre|ihren|dein|deine|mein|meine|absender|absenderin|kontakt|kunde|kundin|besucher|bewerber|bewerberin|antwortadresse
von|votre|vos|ton|mon|expéditeur|expéditrice|demandeur|tu|su|mi|remitente|cliente|contacto|solicitante
seu|sua|meu|minha|teu|remetente|contato|tuo|tua|suo|mittente|contatto|richiedente|uw|jouw|je|mijn|afzender|klant
twój|twoja|nadawca|klient|din|ditt|avsändare|avsender|afsender|kund|kunde|lähettäjä|od|fra|från|van|odesílatel|feladó
ваш|ваша|ваше|мой|моя|от|отправитель|отправителя|клиент|клиента|контакт|контактный|контактная|ваші|відправник|від
gönderen|müşteri|kimden|iletişim|anda|kamu|saya|pengirim|आपका|आपकी|प्रेषक|আপনার|প্রেরক|المرسل|عميل|العميل|فرستنده
`

/** The same in phrases, and in languages without spaces between words */
export const SENDER_PARTS = `
あなた|お客様|連絡先|送信者|差出人|お問い合わせ者|您的|你的|我的|联系|聯絡|聯繫|客户|客戶|发件人|寄件人|寄件者|고객|연락처|보내는|보낸
귀하|ของคุณ|ผู้ส่ง|của bạn|người gửi|reply to|antwort an|kunden|kontakt
`

/** Whole words in the names of addresses that are not the sender's, such as a friend's or an admin's */
export const CARRIED = `
friend|friends|amigo|amiga|ami|amie|amis|amico|freund|freundin|freundes|vriend|admin|administrator|administrador
administrateur|webmaster|postmaster|site|website|notify|notification|notifications|notificación|notificação|alert|alerts
recipient|recipients|receiver|addressee|ontvanger|odbiorca|mottaker|modtager|mottagare|alıcı|příjemce|címzett
получатель|получателя|отримувач|отримувача|المستلم|प्राप्तकर्ता|প্রাপক|penerima|cc|bcc|cci|copy|kopie|copia|copie|cópia
billing|invoice|invoices|invoicing|accounting|accounts|facturation|facturación|fatturazione|faturamento|faturação
buchhaltung|fakturace|faktura|newsletter|newsletters|subscribe|forward|forwarding|mailto|support|helpdesk|staff|sales|manager
boss|supervisor|assistant|secretary|referral|referrer|referred|referee|reference|references|colleague|coworker|kollege
kollegin|collègue|colega|collega|recommend|invite|invited|invitee|emergency|notfall|urgence|spouse|partner|husband|wife
shipping|delivery|secondary|alternate|alternative|alternativ|alternativer|backup|additional|other|друг|друга|друзья
`

/** The same inside of longer words, and in languages without spaces between words */
export const CARRIED_PARTS = `
empfänger|empfaenger|destinat|rechnung|benachrichtig|weiterleit|freund|người nhận|bạn bè|収件|宛先|受信者|受取人|友達|友人|請求
收件人|收件者|接收|朋友|抄送|账单|帳單|받는|수신|친구|참조|ผู้รับ|เพื่อน
`

/** Names of objects around the fields of a body, and of objects around a single value */
export const BODY_PARTS = `
data|form|forms|field|fields|form fields|form data|formdata|value|values|raw value|answer|answers|response|responses
payload|body|input|inputs|submission|submissions|text|params|wpforms|acf|entry|properties|attributes|record
details|info|form response|content|request|raw request
`
