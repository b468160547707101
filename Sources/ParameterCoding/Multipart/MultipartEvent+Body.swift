extension MultipartEvent {
    /// Parses a body up to its end or the first error.
    package static func all(
        in bytes: [UInt8], boundary: [UInt8], _ text: ByteText = ByteText()
    ) -> (events: [MultipartEvent], isIntact: Bool) {
        var events: [MultipartEvent] = []
        do throws(MultipartError) {
            var decoder = try MultipartDecoder(boundary: boundary, text: text)
            try decoder.receive(bytes.span, into: &events)
            decoder.finish(into: &events)
            return (events, true)
        } catch {
            return (events, false)
        }
    }
}
