import ProxydParameterCoding

/// The parameters of a request given as text.
func extract(
    query: String = "",
    contentType: String? = nil,
    body: String = "",
    limits: ExtractionLimits = ExtractionLimits()
) -> [ExtractedParameter] {
    extract(query: query, contentType: contentType, bytes: Array(body.utf8), limits: limits)
}

/// The parameters of a request whose body is given as bytes.
func extract(
    query: String = "",
    contentType: String? = nil,
    bytes: [UInt8],
    limits: ExtractionLimits = ExtractionLimits()
) -> [ExtractedParameter] {
    let queryBytes = Array(query.utf8)
    return ParameterExtractor.extract(
        query: queryBytes.span,
        contentType: contentType,
        body: bytes.span,
        limits: limits
    )
}
