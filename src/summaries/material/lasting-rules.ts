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
const DENSE =
  "总是|始终|永远|从现在开始|从今以后|以后都|每次|记住|请记得|我更喜欢|我偏好|务必|不要再|總是|始終|永遠|從現在開始|記住|務必|いつも|常に|必ず|絶対に|今後は|これからは|覚えて(?:おいて)?|毎回|好みは|二度と|เสมอ|ห้าม|ตั้งแต่นี้ไป|จำไว้ว่า|ทุกครั้ง";

const LASTING = new RegExp(`(?<![\\p{L}\\p{N}])(?:${SPACED.join("|")})(?![\\p{L}\\p{N}])|${DENSE}`, "iu");

/** "it never happens": English that says of something what it does. Its verb ends in an s, which no rule for the reader does. */
const OF_SOMETHING = /\b(?:it|this|that|which|who|s?he) (?:always|never)(?= [a-z]{2,}[^\Wus]s\b)/giu;
/**
 * "queue.test.ts fails at times, never on my laptop": a sentence that begins with what something does, and then says where it doesn't.
 * What somebody wants or needs is a rule.
 */
const SOMETIMES =
  /^\s*(?:it|this|that|(?:the|this|that|my|our|your) [\w./-]+|[\w/-]+\.[\w./-]+) (?!wants|needs|requires|expects|says|prefers|asks)[a-z]{2,}[^\Wus]s\b[^.!?:]*(?:always|never)(?= (?:on|in|at|with|for|during|before|after|when) )/giu;

export function setsLastingRule(text: string): boolean {
  const plain = text.replaceAll("’", "'");
  return LASTING.test(plain) && LASTING.test(plain.replace(OF_SOMETHING, "").replace(SOMETIMES, ""));
}
