internal import FuzzSupport
internal import ProxydCharsets

/// Texts in any charset: whatever the bytes, a start of them is a start of their text, and a text
/// is encoded as it is decoded. The input's first byte is the charset, the second the syntax of the
/// document, the rest its bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let charset = Charset.allCases[Int(input.choice()) % Charset.allCases.count]
    let syntaxes: [DocumentSyntax] = [.plain, .json, .html, .xml, .css]
    let syntax = syntaxes[Int(input.choice()) % syntaxes.count]
    let bytes = Array(input.rest)
    checkDecoding(bytes, charset)
    checkKnown(TextCharset(of: bytes.span, syntax: syntax), bytes)
    checkKnown(TextCharset(of: bytes.span, label: charset.rawValue, syntax: syntax), bytes)
    checkEdit(bytes, charset)
    return 0
}

private func checkDecoding(_ bytes: [UInt8], _ charset: Charset) {
    let whole = charset.decode(bytes.span)
    let cut = charset.decode(bytes.span, isTruncated: true)
    require(
        whole.text.unicodeScalars.starts(with: cut.text.unicodeScalars), "another beginning")
    guard !whole.isLossy, let encoded = try? charset.encode(whole.text) else { return }
    let again = charset.decode(encoded.span).text
    // ISO-2022-JP has halfwidth katakana and is written without them (Encoding Standard §12.2.2).
    require(again == whole.text || charset == .iso2022JP, "another text")
    require((try? charset.encode(again)) == encoded, "another text the second time")
}

private func checkKnown(_ known: TextCharset, _ bytes: [UInt8]) {
    require(known.markByteCount <= bytes.count, "a byte order mark beyond the text")
    let decoded = known.decode(bytes.span)
    guard !decoded.isLossy else { return }
    require(Array(decoded.text.utf8) == known.utf8(of: bytes), "two texts of one body")
}

/// Inserts a letter into the text: everything else keeps its bytes.
private func checkEdit(_ bytes: [UInt8], _ charset: Charset) {
    let known = TextCharset(charset)
    let text = known.utf8(of: bytes)
    if charset != .replacement, let same = try? known.encode(text, inPlaceOf: bytes) {
        require(same == bytes || charset == .iso2022JP, "bytes that no edit changed")
    }
    guard charset != .replacement, charset != .iso2022JP,
        let edited = try? known.encode(Array("a".utf8) + text, inPlaceOf: bytes)
    else { return }
    require(edited.count == bytes.count + charset.unitByteCount, "more than a letter")
}
