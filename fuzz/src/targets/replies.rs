//! Responses of models, in every format.

use ibid::llm::{ModelReply, Provider, ProviderKind, ReplyPart, StreamDecoder};

/// One provider for each format.
const KINDS: [ProviderKind; 5] = [
    ProviderKind::OpenAi,
    ProviderKind::OpenAiResponses,
    ProviderKind::Anthropic,
    ProviderKind::Gemini,
    ProviderKind::Ollama,
];

/// The first byte chooses a format, the rest is a response: decoded whole and in small pieces it must come to the same, and
/// the parts must say what the reply says.
pub fn reply(data: &[u8]) {
    let Some((kind, body)) = data.split_first() else { return };
    let provider = Provider::of(KINDS[usize::from(*kind) % KINDS.len()], "m").expect("a provider by itself");
    let whole = decode(&provider, body, usize::MAX);
    assert_eq!(whole, decode(&provider, body, 3));
    if let Some((parts, reply)) = whole {
        let calls = parts.iter().filter(|part| matches!(part, ReplyPart::ToolCallComplete(_))).count();
        assert_eq!(calls, reply.tool_calls.len());
        assert!(reply.tool_calls.iter().all(|call| !call.id.is_empty()));
        assert_eq!(parts.last(), Some(&ReplyPart::Finish(reply.finish_reason)));
    }
}

fn decode(provider: &Provider, body: &[u8], piece: usize) -> Option<(Vec<ReplyPart>, ModelReply)> {
    let mut decoder = StreamDecoder::new(provider);
    let mut parts = Vec::new();
    for piece in body.chunks(piece.min(body.len().max(1))) {
        parts.extend(decoder.push(piece).ok()?);
    }
    let (last, reply) = decoder.finish().ok()?;
    parts.extend(last);
    Some((parts, reply))
}

/// A short response in each format, with text, a tool call, usage and an end.
pub fn seeds() -> Vec<Vec<u8>> {
    let streams = [
        "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\",\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\
         \"arguments\":\"{}\"}}]}}]}\n\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1,\
         \"completion_tokens\":2}}\n\ndata: [DONE]\n\n",
        "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"Hi\"}\n\n\
         data: {\"type\":\"response.output_item.done\",\"output_index\":1,\"item\":{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\
         \"f\",\"arguments\":\"{}\"}}\n\ndata: {\"type\":\"response.completed\",\"response\":{\"usage\":{\"input_tokens\":1,\
         \"output_tokens\":2}}}\n\n",
        "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":1}}}\n\ndata: {\"type\":\
         \"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"f\",\"input\":{}}}\n\n\
         data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{}\"}}\n\n\
         data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":2}}\n\ndata: {\"type\":\
         \"message_stop\"}\n\n",
        "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hi\"},{\"functionCall\":{\"name\":\"f\",\"args\":{\"x\":1}}}]},\
         \"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":1,\"candidatesTokenCount\":2}}\r\n\r\n",
        "{\"message\":{\"content\":\"Hi\",\"thinking\":\"hm\",\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":{}}}]},\"done\":\
         false}\n{\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":1,\"eval_count\":2}\n",
    ];
    (0..).zip(streams).map(|(kind, stream): (u8, _)| [&[kind], stream.as_bytes()].concat()).collect()
}
