internal import ProxydCharsets
internal import ProxydParameterCoding

/// A body as a viewer sees it: viewers that find syntax byte by byte see UTF-8, whatever the
/// charset of the body is.
package struct ViewedBody: Sendable {
    /// Bodies up to this size in bytes are converted.
    private static let byteCountMax = 4 << 20

    package let facts: BodyFacts
    package let source: any BodySource
    package let viewer: any BodyViewer

    /// Creates a viewer of a body. A body that is not complete yet, or long, is not converted.
    package init(
        _ type: any BodyViewer.Type, _ facts: BodyFacts, _ source: any BodySource
    ) {
        let facts = facts.decided(by: source)
        (self.facts, self.source) =
            type.readsAnyCharset
            ? (facts, source) : ViewedBody.converted(facts, source) ?? (facts, source)
        viewer = type.init(self.facts, self.source)
    }

    private static func converted(
        _ facts: BodyFacts, _ source: any BodySource
    ) -> (BodyFacts, any BodySource)? {
        let extent = source.extent
        guard extent.isComplete, extent.byteCount <= byteCountMax,
            facts.charset.charset != .utf8
        else { return nil }
        let text = facts.charset.utf8(of: source.read(from: 0, byteCount: extent.byteCount))
        return (facts.inUTF8(text), LoadedBody(text))
    }
}
