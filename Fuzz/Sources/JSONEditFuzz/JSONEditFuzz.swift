internal import FuzzSupport
internal import ProxydParameterCoding

/// Edits of JSON texts: they do to the text what they do to its value, and an edit that fails
/// changes nothing. The input is a choice, a line with the path, and the text.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let settings = input.choice()
    let path = String(decoding: input.line(), as: UTF8.self)
    let bytes = Array(input.rest)
    guard let path = try? JSONValuePath(path), var editor = try? JSONTextEditor(bytes),
        let value = try? JSONReader().read(bytes)
    else { return 0 }
    let expected: JSONValue?
    let isDone: Bool
    if settings & 0x01 == 0 {
        expected = try? value.setting(.array([.string("new"), .null]), at: path)
        isDone = (try? editor.set(["new", nil], at: path)) != nil
    } else {
        expected = try? value.removing(at: path)
        isDone = (try? editor.remove(at: path)) != nil
    }
    guard isDone else {
        require(editor.bytes == bytes, "a failed edit changes something")
        // The text may not become deeper than can be read.
        require(
            expected == nil || path.steps.count > 400 || isDeep(bytes), "text and value differ")
        return 0
    }
    guard let again = try? JSONReader().read(editor.bytes) else {
        require(false, "an edit breaks the text")
        return 0
    }
    require(again == expected, "text and value are edited differently")
    return 0
}

private func isDeep(_ bytes: [UInt8]) -> Bool {
    bytes.count { $0 == 0x5B || $0 == 0x7B } > 400
}
