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
    func `an infinite number or NaN in a property list is an error that names its key`(
        format: PropertyListFormat
    ) throws {
        for value in [Double.infinity, -.infinity, .nan] {
            let error = refusal(["outer": ["list": [1, .double(value)]]], format)
            #expect(error is ParameterEncodingError, "\(String(describing: error))")
            #expect("\(try #require(error))".contains("outer"))
        }
    }

    @Test(arguments: [PropertyListFormat.xml, .binary])
    func `null cannot be encoded as a property list`(format: PropertyListFormat) {
        for parameters: Parameter in [["a": .null], [.null], .null] {
            #expect(refusal(parameters, format) as? PropertyListWritingError == .nullHasNoForm)
        }
    }

    @Test
    func `a control character is rejected in an XML property list, but allowed in a binary one`()
        throws
    {
        let parameters: Parameter = ["a": "b\u{1}"]
        #expect(refusal(parameters) as? PropertyListWritingError == .textHasNoForm)
        let bytes = try PropertyListEncoding.binary.encode(parameters)
        #expect(try PropertyListReader().read(bytes) == parameters)
    }

    @Test(arguments: [PropertyListFormat.xml, .binary])
    func `a property list with 512 levels can be written and read, a deeper one cannot be encoded`(
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
    func `the description of a property list writing error is one line in lower case`(
        error: PropertyListWritingError
    ) {
        let text = error.description
        #expect(text.first?.isLowercase == true && !text.contains("\n") && !text.hasSuffix("."))
    }
}
