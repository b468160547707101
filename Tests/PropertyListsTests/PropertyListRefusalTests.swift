import ProxydParameterCoding
import ProxydPropertyLists
import Testing

/// What a user is told about parameters that no property list can hold.
@Suite struct PropertyListRefusalTests {
    private func refusal(
        _ parameters: Parameter, _ format: PropertyListFormat = .xml
    ) -> (any Error)? {
        do {
            _ = try PropertyListEncoding(format: format).encode(parameters, method: "POST")
            return nil
        } catch { return error }
    }

    @Test(arguments: [PropertyListFormat.xml, .binary])
    func `a number that is not finite is named by its key`(format: PropertyListFormat) throws {
        for value in [Double.infinity, -.infinity, .nan] {
            let error = refusal(["outer": ["list": [1, .double(value)]]], format)
            #expect(error is ParameterEncodingError, "\(String(describing: error))")
            #expect("\(try #require(error))".contains("outer"))
        }
    }

    @Test(arguments: [PropertyListFormat.xml, .binary])
    func `null has no form, whatever its key`(format: PropertyListFormat) {
        for parameters: Parameter in [["a": .null], [.null], .null] {
            #expect(refusal(parameters, format) as? PropertyListWritingError == .nullHasNoForm)
        }
    }

    @Test func `a control character has no form in XML, and one in a binary list`() throws {
        let parameters: Parameter = ["a": "b\u{1}"]
        #expect(refusal(parameters) as? PropertyListWritingError == .textHasNoForm)
        let bytes = try PropertyListEncoding.binary.encode(parameters)
        #expect(try PropertyListReader().read(bytes) == parameters)
    }

    @Test(arguments: [PropertyListFormat.xml, .binary])
    func `512 levels are written and read, one more is refused`(
        format: PropertyListFormat
    ) throws {
        func nested(_ depth: Int) -> Parameter {
            (1..<depth).reduce(Parameter.array([])) { inner, _ in .array([inner]) }
        }
        let bytes = try PropertyListWriter(format: format).write(nested(512))
        #expect(try PropertyListReader().read(bytes) == nested(512))
        #expect(refusal(nested(514), format) as? PropertyListWritingError == .tooDeep)
    }

    @Test(arguments: [
        PropertyListWritingError.nullHasNoForm, .rawHasNoForm, .notFinite, .badNumber("1e"),
        .textHasNoForm, .tooDeep,
    ])
    func `every refusal is one line in lower case`(error: PropertyListWritingError) {
        let text = error.description
        #expect(text.first?.isLowercase == true && !text.contains("\n") && !text.hasSuffix("."))
    }
}
