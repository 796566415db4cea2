/**
 * What people say to each other without asking for anything, emoji included, and, in scripts without spaces, the words that only hold a sentence together: there they
 * can't be told from others by their edges, and would be found in nearly every passage.
 */
const SPACED =
  /(?<![\p{L}\p{N}])(?:thanks?|thank you|thx|ok(?:ay)?|yes|yeah|yep|no|nope|please|great|good|nice|cool|perfect|awesome|fine|sure|right|exactly|sounds?|looks?|go(?: on| ahead)?|continue|next|again|now|think|know|want|need|help(?:s|ed|ful)?|let's|try|do it|i see|got it|well done|danke|bitte|ja|nein|genau|gerne|weiter(?: so)?|mach weiter|merci|oui|d'accord|continuez|gracias|por favor|continúa|adelante|perfecto|obrigad[oa]|grazie|va bene|avanti|спасибо|пожалуйста|да|нет|хорошо|продолжай(?:те)?|дальше|고마워요?|감사합니다|감사해요|네|예|아니요|좋아요?|알겠습니다|알겠어요?|부탁해요?|부탁드립니다|계속(?:해|해요|하세요|해 ?줘|해 ?주세요)?)(?![\p{L}\p{N}])/giu;
const DENSE =
  /谢谢[你您]?|多谢|感谢|辛苦了|好的|是的|可以的?吗|没问题|明白了|知道了|很好|太好了|不错|做得好|请?继续(?:吧|下去)?|下一步|ありがとう(?:ございま(?:す|した))?|お願い(?:します|いたします)?|よろしく|はい|いいえ|いいですね|了解(?:です|しました)?|わかりました|分かりました|大丈夫(?:です)?|続けて|(?:して)?ください|でしょうか|(?:して)?い?ま(?:す|した|せん|しょう)か?|で(?:す|した)か?|している?|という|について|として|から|まで|ので|けれど|どこ|なに|なぜ|いつ|どう/gu;

/** Emoji and other signs that no word is written with. */
const SIGNS = /(?!\p{ASCII})[\p{S}\p{Extended_Pictographic}]/gu;

/** A text without what asks for nothing. */
export function withoutPhatic(text: string): string {
  return text.replace(SPACED, " ").replace(DENSE, " ").replace(SIGNS, " ");
}
