// A text as it is, with what would hide in it made visible: characters that have no shape or turn
// the direction of reading are a way to slip instructions past a person.
const HIDDEN = /([\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}])/u;

export function Plain({ text }: { text: string }) {
  if (!HIDDEN.test(text)) return <>{text}</>;
  return (
    <>
      {text.split(HIDDEN).map((piece, index) => index % 2
        ? <abbr key={index} class="hidden-char" title="An invisible character">U+{piece.codePointAt(0)!.toString(16).toUpperCase()}</abbr>
        : piece)}
    </>
  );
}
