// Colours for code: comments, strings, numbers and keywords, by a few rules for all languages.
// Ranges are coloured where they are (CSS Custom Highlight API); the text of the page stays as it is.
const HASH = new Set(["python", "ruby", "bash", "yaml", "toml"]);
const KEYWORDS = new Set(`abstract and as assert async await bool break case catch class const
  continue def default defer del do elif else end enum except export extends false final finally
  fn for from func function global go if impl implements import in instanceof interface is lambda
  let match mod module mut namespace new nil none not null or package pass private protected pub
  public raise require return self static struct super switch this throw trait true try type
  typeof union unless unsafe use using val var void when where while with yield None True False`
  .split(/\s+/));
const WORDS = /("""|'''|\/\*|\/\/|--(?= )|#|"|'|`)|(\b\d[\w.]*)|([A-Za-z_]\w*)/g;
const ENDS = { '"""': '"""', "'''": "'''", "/*": "*/", "`": "`" };

function endOf(text, mark, from) {
  if (ENDS[mark]) {
    const at = text.indexOf(ENDS[mark], from);
    return at < 0 ? -1 : at + ENDS[mark].length;
  }
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "\\") { at += 1; } else if (text[at] === mark) { return at + 1; }
  }
  return text.length;
}

function isComment(mark, language) {
  if (mark === "#") { return HASH.has(language) || language === "php"; }
  if (mark === "//" || mark === "/*") { return !HASH.has(language); }
  return mark === "--" && language === "sql";
}

/** Call `found(kind, line, start, end)` for each coloured part of the lines of a file. */
export function parts(lines, language, found) {
  let inside = "";
  lines.forEach((text, line) => {
    let at = 0;
    if (inside) {
      const end = endOf(text, inside, 0);
      found(inside === "/*" ? "comment" : "string", line, 0, end < 0 ? text.length : end);
      if (end < 0) { return; }
      at = end;
      inside = "";
    }
    WORDS.lastIndex = at;
    for (let match = WORDS.exec(text); match; match = WORDS.exec(text)) {
      const [word, mark, number] = match;
      if (mark && isComment(mark, language)) {
        const end = mark === "/*" ? endOf(text, mark, match.index + 2) : text.length;
        found("comment", line, match.index, end < 0 ? text.length : end);
        if (end < 0) { inside = mark; return; }
        WORDS.lastIndex = end;
      } else if (mark && !"#///*--".includes(mark)) {
        const end = endOf(text, mark, match.index + mark.length);
        found("string", line, match.index, end < 0 ? text.length : end);
        if (end < 0) { inside = mark; return; }
        WORDS.lastIndex = end;
      } else if (number) {
        found("number", line, match.index, match.index + word.length);
      } else if (!mark && KEYWORDS.has(word)) {
        found("keyword", line, match.index, match.index + word.length);
      }
    }
  });
}

/** Colour the code in an element; each line is an element of the class `c`. */
export function highlight(element) {
  const language = element.dataset.language;
  if (!language || !window.CSS?.highlights) { return; }
  const nodes = [...element.querySelectorAll(".c")].map((it) => it.firstChild);
  const lines = nodes.map((it) => it?.data ?? "");
  const ranges = { comment: [], string: [], number: [], keyword: [] };
  parts(lines, language, (kind, line, start, end) => {
    if (!nodes[line] || end <= start) { return; }
    const range = new StaticRange({
      startContainer: nodes[line], startOffset: start, endContainer: nodes[line], endOffset: end,
    });
    ranges[kind].push(range);
  });
  for (const [kind, found] of Object.entries(ranges)) {
    CSS.highlights.set(kind, new Highlight(...found));
  }
}
