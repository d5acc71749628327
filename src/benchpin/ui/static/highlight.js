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
const COMMENTS = new Set(["#", "//", "/*", "--"]);

/** Where something ends in a line that a mark opens; -1 if it continues in the next line. */
function endOf(text, mark, from) {
  if (ENDS[mark]) {
    const at = text.indexOf(ENDS[mark], from);
    return at < 0 ? -1 : at + ENDS[mark].length;
  }
  if (COMMENTS.has(mark)) { return text.length; }
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "\\") { at += 1; } else if (text[at] === mark) { return at + 1; }
  }
  return text.length;
}

function isComment(mark, language) {
  if (mark === "#") { return HASH.has(language) || language === "php"; }
  if (mark === "--") { return language === "sql"; }
  return !HASH.has(language);
}

function kindOf(word, mark, number, language) {
  if (COMMENTS.has(mark)) { return isComment(mark, language) ? "comment" : null; }
  if (mark) { return "string"; }
  if (number) { return "number"; }
  return KEYWORDS.has(word) ? "keyword" : null;
}

/** Call `found(kind, start, end)` for the parts of a line; return the mark that is still open. */
function partsOfLine(text, open, language, found) {
  function closes(mark, kind, start, from) {
    const end = endOf(text, mark, from);
    found(kind, start, end < 0 ? text.length : end);
    WORDS.lastIndex = end;
    return end >= 0;
  }
  WORDS.lastIndex = 0;
  if (open && !closes(open, open === "/*" ? "comment" : "string", 0, 0)) { return open; }
  for (let match = WORDS.exec(text); match; match = WORDS.exec(text)) {
    const [word, mark, number] = match;
    const end = match.index + word.length;
    const kind = kindOf(word, mark, number, language);
    if (kind && !mark) { found(kind, match.index, end); }
    if (kind && mark && !closes(mark, kind, match.index, end)) { return mark; }
  }
  return "";
}

/** Call `found(kind, line, start, end)` for each coloured part of the lines of a file. */
export function parts(lines, language, found) {
  let open = "";
  lines.forEach((text, line) => {
    open = partsOfLine(text, open, language, (...part) => found(part[0], line, part[1], part[2]));
  });
}

/** Return the text nodes of a line, each with its offset: names in it are links. */
function nodesOf(line) {
  const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let at = 0; walker.nextNode(); at += walker.currentNode.length) {
    found.push([at, walker.currentNode]);
  }
  return found;
}

/** Colour the code in an element; each line is an element of the class `c`. */
export function highlight(element) {
  const language = element.dataset.language;
  if (!language || !window.CSS?.highlights) { return; }
  const lines = [...element.querySelectorAll(".c")];
  const nodes = lines.map(nodesOf);
  const ranges = { comment: [], string: [], number: [], keyword: [] };
  const place = (line, offset) => nodes[line].findLast(([at]) => at < offset) ?? nodes[line][0];
  parts(lines.map((it) => it.textContent), language, (kind, line, start, end) => {
    if (end <= start) { return; }
    const [from, to] = [place(line, start + 1), place(line, end)];
    ranges[kind].push(new StaticRange({
      startContainer: from[1], startOffset: start - from[0], endContainer: to[1], endOffset: end - to[0],
    }));
  });
  for (const [kind, found] of Object.entries(ranges)) {
    CSS.highlights.set(kind, new Highlight(...found));
  }
}
