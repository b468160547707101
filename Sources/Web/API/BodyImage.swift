internal import ProxydExchangeContent
internal import ProxydPresentation
internal import ProxydWebServer

/// Images made of pixels, recognised by their signature; everything else is refused, SVG because it
/// can hold scripts.
enum BodyImage {
    static func response(_ content: BodyContent) throws(WebProblem) -> WebResponse {
        guard let facts = ImageFacts(content.bytes) else {
            throw WebProblem(415, "the body is not an image of a known format")
        }
        return WebResponse(
            fields: [("Content-Type", facts.format.mediaType), PageRoutes.capturedPolicy],
            body: .bytes(content.bytes))
    }
}
