import { spokenSentences } from "../text/sentences.ts";

/**
 * Sentences of the user's that forbid something or ask for permission: what must not be lost when everything around it is
 * summarised away. They are told apart from plain negation ("I don't know why") by what stands around the word that
 * forbids. One list per language; a miss only costs the sentence its guarantee.
 */

/** Longer sentences are cut before this (characters): what is forbidden stands near the word that forbids. */
const MAX_SENTENCE = 280;
const MIN_SENTENCE = 8;

/** What follows "don't" when nobody is forbidden anything. */
const NO_BAN =
  "(?:worry|know|think|mind|understand|see|believe|remember|care|get (?:it|why|how|what)|have|recall|seem|feel|look like|forget|hesitate|be (?:shy|afraid|sorry)|need|want|like)";

const ENGLISH = [
  // At the beginning of a sentence or clause, as an order.
  `(?:^|[.,;:!?)(—–-]\\s*|\\b(?:please|but|and|so|then|also|just|you|important|note|still|again|must|should|shall|will|may|can|could)\\s+)(?:do not|don't|never|not)\\s+(?:ever\\s+|just\\s+|yet\\s+|even\\s+)?(?!${NO_BAN}\\b)[a-z]+`,
  "must(?:n't| not| never)|may not|(?:is|are|it's|that's) (?:off[- ]limits|not allowed|forbidden|prohibited)|not allowed to|under no circumstances|no (?:one|changes?|commits?|push(?:es|ing)?|deploy(?:s|ment|ing)?|deletions?) (?:may|must|should|to|without|before|until)",
  "i don't want (?:you|us|it|any|the|this|that) to|without (?:asking|my|explicit|prior|permission|approval|telling)|ask (?:me |for permission |for approval )?(?:before|first)|check with me|only (?:after|with|once|when|if) (?:i|my|we)|wait for (?:my|me)|until i (?:say|tell|confirm|approve)|(?:hands|keep) off|leave [^.!?]{1,60} (?:alone|untouched|as (?:it is|is))|keep [^.!?]{1,60} (?:private|secret|confidential|untouched|read-only)|stay (?:away from|out of)|read-only|dry[- ]run only",
].join("|");

const OTHERS = [
  // German, Dutch, Swedish
  "(?:darf|dürfen|darfst|sollst|soll|bitte|auf keinen fall|niemals|nie)[^.!?]{0,60}\\bnicht\\b|auf keinen fall|niemals|verboten|nicht ohne|erst (?:fragen|nach)|frag(?:e)? (?:mich )?(?:vorher|zuerst|erst)|nur nach rücksprache|finger weg|nooit|niet zonder|vraag (?:me )?eerst|aldrig|får inte|fråga först",
  // French, Spanish, Portuguese, Italian
  "ne (?:\\p{L}+ ){0,3}(?:jamais|pas sans)|(?:^|[.,;!?]\\s*)ne \\p{L}+ (?:\\p{L}+ )?pas|interdit|sans (?:mon|demander|autorisation)|demande(?:z)?[- ](?:moi )?(?:avant|d'abord)|no (?:debes|puedes|toques|borres|hagas|envíes)|nunca|prohibido|sin (?:mi|preguntar|permiso)|não (?:deve|pode|toque|apague|faça|envie)|proibido|sem (?:minha|perguntar|permissão)|non (?:devi|puoi|toccare|cancellare|fare|inviare)|mai |vietato|senza (?:il mio|chiedere|permesso)",
  // Russian, Ukrainian, Polish, Turkish
  "никогда|нельзя|запрещ\\p{L}+|не (?:трогай|удаляй|делай|отправляй|пушь)|без (?:моего|разрешения|спроса)|сначала спроси|ніколи|не можна|nigdy|nie (?:wolno|usuwaj|ruszaj|rób)|bez (?:mojej|pytania)|asla|yasak|dokunma|izinsiz|önce sor",
  // Arabic, Hebrew, Hindi, Korean, Vietnamese, Indonesian
  "لا ت\\p{L}+|ممنوع|بدون إذن|אסור|אל ת\\p{L}+|בלי רשות|मत |कभी नहीं|बिना (?:पूछे|अनुमति)|하지 ?마|절대|금지|không (?:được|bao giờ)|đừng|jangan|dilarang|tanpa izin",
].join("|");

const BANS_DENSE =
  "不要|不准|不许|不能|禁止|切勿|别(?:碰|动|删|改|推)|未经|先问|不得|不可|請勿|勿|しないで|してはいけ|してはなら|禁止|絶対に|勝手に|触らないで|許可なく|ห้าม";

const FORBIDS = new RegExp(`(?:${ENGLISH})|(?<![\\p{L}\\p{N}])(?:${OTHERS})|${BANS_DENSE}`, "iu");

export function forbids(text: string): boolean {
  return FORBIDS.test(forReader(text));
}

const LIST_ITEM = /^\s*(?:[-*•+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(\S.*)$/;

/**
 * The sentences of a user's text that forbid something, bind it to permission or set a lasting rule, as they stand there; of a list
 * most of whose items do, all items, whole.
 */
export function findRestrictions(text: string): string[] {
  const found: string[] = [];
  let list: string[] = [];
  const endList = (): void => {
    const rules = list.filter((item) => restrictionsIn(item).length > 0).length;
    const isOfRules = rules > 1 && rules > list.length / 2;
    found.push(...(isOfRules ? list.map((item) => cut(item.trim())) : list.flatMap(restrictionsIn)));
    list = [];
  };
  for (const line of text.split("\n")) {
    const item = LIST_ITEM.exec(line)?.[1];
    if (item !== undefined) list.push(item);
    else if (line.trim() !== "") {
      endList();
      found.push(...restrictionsIn(line));
    }
  }
  endList();
  return found;
}

function restrictionsIn(line: string): string[] {
  return spokenSentences(line)
    .map((sentence) => sentence.replace(/^[\s>*•\d.)-]+/, "").trim())
    .filter((sentence) => sentence.length >= MIN_SENTENCE && (forbids(sentence) || setsLastingRule(sentence)))
    .map(cut);
}

/** A long sentence around the word that forbids, from the beginning of a clause. */
function cut(sentence: string): string {
  if (sentence.length <= MAX_SENTENCE) return sentence;
  const at = Math.max(0, sentence.replaceAll("’", "'").search(FORBIDS));
  const clause = Math.max(0, sentence.lastIndexOf(",", at) + 1, at + 40 - MAX_SENTENCE);
  const from = Math.min(clause, at);
  const end = sentence.lastIndexOf(" ", from + MAX_SENTENCE);
  return sentence.slice(from, end > at ? end : from + MAX_SENTENCE).trim();
}

/**
 * Rules that hold until they are taken back ("always …", "from now on …", "I prefer …"), told apart from requests of the
 * moment by the words that people use for them. One list per language; a miss only costs the rule its precedence.
 */

/** Phrases of languages that put spaces between words. Matched as whole words. */
const SPACED = [
  // English
  "always|never|from now on|going forward|remember (?:that|to)|please remember|keep in mind|every time|each time|whenever|in (?:the )?future|at all times|by default|i(?:'d| would)? (?:really |always |strongly )?prefer|i(?:'d| would) rather|my preference|i (?:really )?(?:like|love|hate|dislike) (?:it when|to|my|using|when)|don't ever|do not ever|unless i (?:say|tell|ask)|make sure (?:that )?(?:you|to|all|every)|must (?:not|always|never)|stick (?:to|with)|no matter what|as a rule|until i (?:say|tell)",
  // German, Dutch
  "immer|niemals|nie wieder|ab jetzt|ab sofort|von nun an|künftig|in zukunft|merk(?:e)? dir|denk(?:e)? daran|jedes mal|grundsätzlich|ich bevorzuge|ich mag (?:keine?|es)|altijd|nooit|vanaf nu|onthoud|voortaan|ik heb liever",
  // French
  "toujours|jamais|désormais|dorénavant|à partir de maintenant|souviens-toi|rappelle-toi|à chaque fois|à l'avenir|je préfère|n'oublie pas",
  // Spanish, Portuguese, Italian
  "siempre|nunca|jamás|a partir de ahora|de ahora en adelante|recuerda|cada vez que|prefiero|sempre|de agora em diante|a partir de agora|lembre-se|lembra-te|toda vez|prefiro|mai più|d'ora in poi|da ora in poi|ricorda(?:ti)?|ogni volta|preferisco",
  // Russian, Ukrainian, Polish, Czech
  "всегда|никогда|отныне|впредь|с этого момента|запомни|помни|каждый раз|я предпочитаю|завжди|ніколи|відтепер|пам'ятай|zawsze|nigdy|od teraz|pamiętaj|za każdym razem|wolę|vždy|nikdy|od teď|pamatuj",
  // Turkish, Indonesian, Vietnamese, Swedish
  "her zaman|asla|bundan sonra|şu andan itibaren|hatırla|tercih ederim|selalu|jangan pernah|mulai sekarang|ingat(?:lah)?|setiap kali|saya lebih suka|luôn luôn|không bao giờ|từ giờ|hãy nhớ|alltid|aldrig|från och med nu|kom ihåg|jag föredrar",
  // Arabic, Hebrew, Hindi, Korean
  "دائما|دائمًا|أبدا|أبدًا|من الآن فصاعدا|تذكر|أفضل أن|תמיד|אף פעם|לעולם לא|מעכשיו|זכור|אני מעדיף|हमेशा|कभी नहीं|कभी भी|अब से|याद रखें|याद रखना|मुझे पसंद|항상|절대|앞으로는?|지금부터|기억해|선호(?:해|합니다)",
];

/** Phrases of languages without spaces. */
const LASTING_DENSE =
  "总是|始终|永远|从现在开始|从今以后|以后都|每次|记住|请记得|我更喜欢|我偏好|务必|不要再|總是|始終|永遠|從現在開始|記住|務必|いつも|常に|必ず|絶対に|今後は|これからは|覚えて(?:おいて)?|毎回|好みは|二度と|เสมอ|ห้าม|ตั้งแต่นี้ไป|จำไว้ว่า|ทุกครั้ง";

const LASTING = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${SPACED.join("|")})(?![\\p{L}\\p{N}])|${LASTING_DENSE}`,
  "iu",
);

/** "it never happens": English that says of something what it does. Its verb ends in an s, which no rule for the reader does. */
const OF_SOMETHING = /\b(?:it|this|that|which|who|s?he) (?:always|never)(?= [a-z]{2,}[^\Wus]s\b)/giu;
/**
 * "queue.test.ts fails at times, never on my laptop": a sentence that begins with what something does, and then says where it doesn't.
 * What somebody wants or needs is a rule.
 */
const SOMETIMES =
  /^\s*(?:it|this|that|(?:the|this|that|my|our|your) [\w./-]+|[\w/-]+\.[\w./-]+) (?!wants|needs|requires|expects|says|prefers|asks)[a-z]{2,}[^\Wus]s\b[^.!?:]*(?:always|never)(?= (?:on|in|at|with|for|during|before|after|when) )/giu;

export function setsLastingRule(text: string): boolean {
  return LASTING.test(text.replaceAll("’", "'")) && LASTING.test(forReader(text));
}

/** Without what is only said of something. */
function forReader(text: string): string {
  return text.replaceAll("’", "'").replace(OF_SOMETHING, "").replace(SOMETIMES, "");
}
