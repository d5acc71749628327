"""A toolset that does every odd thing a server must survive; for tests and `make conformance`.

The names that begin with `test_`, and `json_schema_2020_12_tool`, are those that the official
conformance suite asks for.
"""

from benchpin.core.tools import Example, Toolset

TOOLSET = Toolset(
    package=__name__,
    title="Everything",
    description="Tools for testing the server.",
    tools=(
        "append_line",
        "count_slowly",
        "echo",
        "fail_known",
        "fail_oddly",
        "json_schema_2020_12_tool",
        "make_big",
        "print_noise",
        "run_child",
        "sleep_async",
        "sleep_for",
        "test_audio_content",
        "test_custom_header",
        "test_elicitation",
        "test_elicitation_sep1034_defaults",
        "test_elicitation_sep1330_enums",
        "test_embedded_resource",
        "test_error_handling",
        "test_image_content",
        "test_input_required_result_capabilities",
        "test_input_required_result_elicitation",
        "test_input_required_result_list_roots",
        "test_input_required_result_multi_round",
        "test_input_required_result_many",
        "test_input_required_result_request_state",
        "test_input_required_result_sampling",
        "test_input_required_result_sealed",
        "test_logging_tool",
        "test_missing_capability",
        "test_multiple_content_types",
        "test_reconnection",
        "test_sampling",
        "test_simple_text",
        "test_streaming_elicitation",
        "test_tool_with_logging",
        "test_tool_with_progress",
    ),
    resources=("static_binary", "static_text", "template_data", "watched_resource"),
    prompts=(
        "test_input_required_result_prompt",
        "test_prompt_with_arguments",
        "test_prompt_with_embedded_resource",
        "test_prompt_with_image",
        "test_simple_prompt",
    ),
    aliases={
        "echo.say": "echo",
        "fail.known": "fail_known",
        "fail.oddly": "fail_oddly",
        # Longer than a name of ours may be.
        "test_input_required_result_multiple_inputs": "test_input_required_result_many",
        "test_input_required_result_tampered_state": "test_input_required_result_sealed",
    },
    codes={"file_missing": -32001},
    example=Example("echo", {"text": "hello"}),
)
