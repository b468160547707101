/// One part of a multipart body to send (RFC 7578 §4).
///
/// A part without `name` and `filename` has no Content-Disposition except the one in `fields`: the
/// head of a decoded part is written again line by line from its fields alone.
public struct MultipartPart: Sendable, Hashable {
    /// The name of the form's field.
    public var name: String?
    /// The file name of the content.
    public var filename: String?
    /// The value of Content-Type; nil for none.
    public var contentType: String?
    /// Further lines of the head, after the others.
    public var fields: [MultipartPartHead.Field]
    /// The content.
    public var content: MultipartContent

    /// Creates a part with the given head and content.
    public init(
        name: String?,
        filename: String? = nil,
        contentType: String? = nil,
        fields: [MultipartPartHead.Field] = [],
        content: MultipartContent
    ) {
        self.name = name
        self.filename = filename
        self.contentType = contentType
        self.fields = fields
        self.content = content
    }
}
