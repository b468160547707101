internal import FuzzSupport
internal import ProxydTerminalText

/// Text for terminals: nothing in it can move the cursor, hide, or turn the direction.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let width = Int(input.choice() % 80)
    let bytes = Array(input.rest)
    for layout in [TerminalText.Layout.singleLine, .multiLine] {
        let safe = TerminalText.sanitize(bytes, layout: layout)
        check(safe, layout)
        require(TerminalText.sanitize(bytes.span, layout: layout) == safe, "slices are otherwise")
        require(isSame(TerminalText.sanitize(safe, layout: layout), safe), "safe text is changed")
        if let text = String(validating: bytes, as: UTF8.self) {
            require(isSame(TerminalText.sanitize(text, layout: layout), safe), "text is otherwise")
        }
    }
    checkWidth(TerminalText.sanitize(bytes), width)
    return 0
}

/// Byte for byte: `==` of strings would join different spellings of a letter.
private func isSame(_ left: String, _ right: String) -> Bool {
    left.utf8.elementsEqual(right.utf8)
}

private func check(_ text: String, _ layout: TerminalText.Layout) {
    var markCount = 0
    for scalar in text.unicodeScalars {
        if layout == .multiLine, scalar == "\n" {
            markCount = 5
            continue
        }
        let category = scalar.properties.generalCategory
        switch category {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
            .unassigned:
            require(false, "U+\(String(scalar.value, radix: 16)) comes out")
        case .nonspacingMark, .enclosingMark:
            markCount += 1
            require(markCount <= 4, "marks are piled up, or stand on nothing of ours")
        default: markCount = 0
        }
        require(!scalar.properties.isDefaultIgnorableCodePoint, "something invisible comes out")
    }
}

private func checkWidth(_ text: String, _ width: Int) {
    require(TerminalText.displayWidth(text) >= 0, "a negative width")
    let fitted = TerminalText.fitted(text, to: width)
    require(TerminalText.displayWidth(fitted) <= max(0, width), "too wide")
    let padded = TerminalText.padded(text, to: width)
    require(TerminalText.displayWidth(padded) == max(0, width), "padded to another width")
}
