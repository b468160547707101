/// Edits of a form's fields by name. Only the bytes of the field change; files are not fields.
extension EncodedParts {
    /// Why a field cannot be changed.
    public enum FieldProblem: Error, Sendable, Hashable, CustomStringConvertible {
        /// The form has a file of this name.
        case isFile
        /// The value contains the boundary, and would end the part early.
        case boundaryInValue

        /// A message for the user.
        public var description: String {
            switch self {
            case .isFile: "the part is a file, not a field"
            case .boundaryInValue: "the value contains the boundary"
            }
        }
    }

    /// Sets the value of the first field with a name, or appends a field if none has it.
    public mutating func setField(
        named name: String, to value: String
    ) throws(FieldProblem) {
        let named = parts.indices.filter { isNamed(name, $0) }
        guard let index = named.first(where: { parts[$0].head.filename == nil }) else {
            guard named.isEmpty else { throw .isFile }
            return try addField(named: name, value: value)
        }
        // A field that has this value already keeps its bytes.
        guard !self.value(at: index).utf8.elementsEqual(value.utf8) else { return }
        guard setText(value, at: index) else { throw .boundaryInValue }
    }

    /// Appends a field.
    public mutating func addField(
        named name: String, value: String
    ) throws(FieldProblem) {
        guard insert(name: name, value: value, at: parts.count) else { throw .boundaryInValue }
    }

    /// Inserts a field; returns false if its value would end the part early.
    public mutating func insert(name: String, value: String, at index: Int) -> Bool {
        insert(name: name, content: form.bytes(of: value), at: index)
    }

    /// Removes the fields and files with a name whose value satisfies a predicate: the text of a
    /// field, the file name of a file.
    public mutating func removeAll(
        named name: String, where isGone: (String) -> Bool = { _ in true }
    ) {
        let gone = parts.indices.filter { isNamed(name, $0) && isGone(value(at: $0)) }
        remove(at: Set(gone))
    }

    /// The text of a field, or the name of a file.
    private func value(at index: Int) -> String {
        parts[index].head.filename ?? reading(at: index).text
    }

    private func isNamed(_ name: String, _ index: Int) -> Bool {
        parts[index].head.name?.utf8.elementsEqual(name.utf8) == true
    }
}

/// Contents as text, without their transfer encoding.
extension EncodedParts {
    /// The content of a part as text; nil if it is not text in the part's charset or in UTF-8.
    public func text(at index: Int) -> String? {
        let (text, origin) = reading(at: index)
        return origin == .undecodable ? nil : text
    }

    /// Replaces the content of a part by a text in its charset; returns false if it would end the
    /// part early.
    public mutating func setText(_ text: String, at index: Int) -> Bool {
        guard parts.indices.contains(index) else { return false }
        let encoding = parts[index].head.transferEncoding
        let bytes = charset(ofPart: index).bytes(
            of: text, inPlaceOf: encoding.decoded(parts[index].content))
        return setContent(encoding.encoded(bytes), at: index)
    }

    /// The body with contents in UTF-8 and without their transfer encoding, where they have one or
    /// are text in a declared charset.
    var inUTF8: [UInt8] {
        var parts = self
        for index in self.parts.indices {
            let (text, origin) = reading(at: index)
            let isCoded = self.parts[index].head.transferEncoding != .none
            if origin == .declaredCharset || isCoded && origin == .utf8 {
                _ = parts.setContent(Array(text.utf8), at: index)
            }
        }
        return parts.bytes
    }

    private func reading(at index: Int) -> (text: String, origin: TextOrigin) {
        let content = parts[index].head.transferEncoding.decoded(parts[index].content)
        return charset(ofPart: index).reading(content.span)
    }

    private func charset(ofPart index: Int) -> ByteText {
        ByteText(of: parts[index].head, in: form)
    }
}

extension PartTransferEncoding {
    /// The content in this encoding.
    fileprivate func encoded(_ content: [UInt8]) -> [UInt8] {
        switch self {
        case .none: content
        case .base64: Array(Base64.text(content).utf8)
        case .quotedPrintable: PartTransferEncoding.quotedPrintable(content)
        }
    }

    /// Lines of at most 76 characters (RFC 2045 §6.7).
    private static func quotedPrintable(_ content: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        var lineByteCount = 0
        for byte in content {
            let isPlain = (0x21...0x7E).contains(byte) && byte != 0x3D
            let piece = isPlain ? [byte] : [0x3D, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            if lineByteCount + piece.count > 75 {
                encoded += [0x3D, 0x0D, 0x0A]
                lineByteCount = 0
            }
            encoded += piece
            lineByteCount += piece.count
        }
        return encoded
    }
}
