/* Codes that functions of the Ascend runtime and its operators return: their names, and what they
 * mean for the calling process. */
#ifndef ASCTUNE_DEVICE_LIBS_ACL_ERRORS_H
#define ASCTUNE_DEVICE_LIBS_ACL_ERRORS_H

#include <stdbool.h>

/* Codes of acl*: code, name */
#define ACL_ERROR_LIST(X)                                                                          \
	X(100000, ACL_ERROR_INVALID_PARAM)                                                         \
	X(100001, ACL_ERROR_UNINITIALIZE)                                                          \
	X(100002, ACL_ERROR_REPEAT_INITIALIZE)                                                     \
	X(100003, ACL_ERROR_INVALID_FILE)                                                          \
	X(100004, ACL_ERROR_WRITE_FILE)                                                            \
	X(100005, ACL_ERROR_INVALID_FILE_SIZE)                                                     \
	X(100006, ACL_ERROR_PARSE_FILE)                                                            \
	X(100007, ACL_ERROR_FILE_MISSING_ATTR)                                                     \
	X(100008, ACL_ERROR_FILE_ATTR_INVALID)                                                     \
	X(100010, ACL_ERROR_INVALID_PROFILING_CONFIG)                                              \
	X(100011, ACL_ERROR_INVALID_MODEL_ID)                                                      \
	X(100012, ACL_ERROR_DESERIALIZE_MODEL)                                                     \
	X(100013, ACL_ERROR_PARSE_MODEL)                                                           \
	X(100014, ACL_ERROR_READ_MODEL_FAILURE)                                                    \
	X(100015, ACL_ERROR_MODEL_SIZE_INVALID)                                                    \
	X(100016, ACL_ERROR_MODEL_MISSING_ATTR)                                                    \
	X(100017, ACL_ERROR_MODEL_INPUT_NOT_MATCH)                                                 \
	X(100018, ACL_ERROR_MODEL_OUTPUT_NOT_MATCH)                                                \
	X(100019, ACL_ERROR_MODEL_NOT_DYNAMIC)                                                     \
	X(100020, ACL_ERROR_OP_TYPE_NOT_MATCH)                                                     \
	X(100021, ACL_ERROR_OP_INPUT_NOT_MATCH)                                                    \
	X(100022, ACL_ERROR_OP_OUTPUT_NOT_MATCH)                                                   \
	X(100023, ACL_ERROR_OP_ATTR_NOT_MATCH)                                                     \
	X(100024, ACL_ERROR_OP_NOT_FOUND)                                                          \
	X(100025, ACL_ERROR_OP_LOAD_FAILED)                                                        \
	X(100026, ACL_ERROR_UNSUPPORTED_DATA_TYPE)                                                 \
	X(100027, ACL_ERROR_FORMAT_NOT_MATCH)                                                      \
	X(100028, ACL_ERROR_BIN_SELECTOR_NOT_REGISTERED)                                           \
	X(100029, ACL_ERROR_KERNEL_NOT_FOUND)                                                      \
	X(100030, ACL_ERROR_BIN_SELECTOR_ALREADY_REGISTERED)                                       \
	X(100031, ACL_ERROR_KERNEL_ALREADY_REGISTERED)                                             \
	X(100033, ACL_ERROR_REPEAT_SUBSCRIBE)                                                      \
	X(100034, ACL_ERROR_STREAM_NOT_SUBSCRIBE)                                                  \
	X(100035, ACL_ERROR_THREAD_NOT_SUBSCRIBE)                                                  \
	X(100036, ACL_ERROR_WAIT_CALLBACK_TIMEOUT)                                                 \
	X(100037, ACL_ERROR_REPEAT_FINALIZE)                                                       \
	X(100039, ACL_ERROR_COMPILING_STUB_MODE)                                                   \
	X(100042, ACL_ERROR_PROF_ALREADY_RUN)                                                      \
	X(100043, ACL_ERROR_PROF_NOT_RUN)                                                          \
	X(148046, ACL_ERROR_PROF_REPEAT_SUBSCRIBE)                                                 \
	X(148047, ACL_ERROR_PROF_API_CONFLICT)                                                     \
	X(148050, ACL_ERROR_OP_UNSUPPORTED_DYNAMIC)                                                \
	X(148051, ACL_ERROR_RELATIVE_RESOURCE_NOT_CLEARED)                                         \
	X(200000, ACL_ERROR_BAD_ALLOC)                                                             \
	X(200001, ACL_ERROR_API_NOT_SUPPORT)                                                       \
	X(200002, ACL_ERROR_INVALID_DEVICE)                                                        \
	X(200003, ACL_ERROR_MEMORY_ADDRESS_UNALIGNED)                                              \
	X(200004, ACL_ERROR_RESOURCE_NOT_MATCH)                                                    \
	X(200005, ACL_ERROR_INVALID_RESOURCE_HANDLE)                                               \
	X(200006, ACL_ERROR_FEATURE_UNSUPPORTED)                                                   \
	X(200007, ACL_ERROR_PROF_MODULES_UNSUPPORTED)                                              \
	X(300000, ACL_ERROR_STORAGE_OVER_LIMIT)                                                    \
	X(500000, ACL_ERROR_INTERNAL_ERROR)                                                        \
	X(500001, ACL_ERROR_FAILURE)                                                               \
	X(500002, ACL_ERROR_GE_FAILURE)                                                            \
	X(500003, ACL_ERROR_RT_FAILURE)                                                            \
	X(500004, ACL_ERROR_DRV_FAILURE)                                                           \
	X(500005, ACL_ERROR_PROFILING_FAILURE)

/* Codes of aclrt* and rt*: code, name */
#define ACL_RT_ERROR_LIST(X)                                                                       \
	X(107000, ACL_ERROR_RT_PARAM_INVALID)                                                      \
	X(107001, ACL_ERROR_RT_INVALID_DEVICEID)                                                   \
	X(107002, ACL_ERROR_RT_CONTEXT_NULL)                                                       \
	X(107003, ACL_ERROR_RT_STREAM_CONTEXT)                                                     \
	X(107004, ACL_ERROR_RT_MODEL_CONTEXT)                                                      \
	X(107005, ACL_ERROR_RT_STREAM_MODEL)                                                       \
	X(107006, ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID)                                            \
	X(107007, ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL)                                           \
	X(107008, ACL_ERROR_RT_ADDR_UNALIGNED)                                                     \
	X(107009, ACL_ERROR_RT_FILE_OPEN)                                                          \
	X(107010, ACL_ERROR_RT_FILE_WRITE)                                                         \
	X(107011, ACL_ERROR_RT_STREAM_SUBSCRIBE)                                                   \
	X(107012, ACL_ERROR_RT_THREAD_SUBSCRIBE)                                                   \
	X(107013, ACL_ERROR_RT_GROUP_NOT_SET)                                                      \
	X(107014, ACL_ERROR_RT_GROUP_NOT_CREATE)                                                   \
	X(107015, ACL_ERROR_RT_STREAM_NO_CB_REG)                                                   \
	X(107016, ACL_ERROR_RT_INVALID_MEMORY_TYPE)                                                \
	X(107017, ACL_ERROR_RT_INVALID_HANDLE)                                                     \
	X(107018, ACL_ERROR_RT_INVALID_MALLOC_TYPE)                                                \
	X(107019, ACL_ERROR_RT_WAIT_TIMEOUT)                                                       \
	X(107020, ACL_ERROR_RT_TASK_TIMEOUT)                                                       \
	X(107021, ACL_ERROR_RT_SYSPARAMOPT_NOT_SET)                                                \
	X(107022, ACL_ERROR_RT_DEVICE_TASK_ABORT)                                                  \
	X(107023, ACL_ERROR_RT_STREAM_ABORT)                                                       \
	X(107024, ACL_ERROR_RT_CAPTURE_DEPENDENCY)                                                 \
	X(107025, ACL_ERROR_RT_STREAM_UNJOINED)                                                    \
	X(107026, ACL_ERROR_RT_MODEL_CAPTURED)                                                     \
	X(107027, ACL_ERROR_RT_STREAM_CAPTURED)                                                    \
	X(107028, ACL_ERROR_RT_EVENT_CAPTURED)                                                     \
	X(107029, ACL_ERROR_RT_STREAM_NOT_CAPTURED)                                                \
	X(107030, ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT)                                           \
	X(107031, ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT)                                            \
	X(107035, ACL_ERROR_RT_TASK_ABORT_STOP)                                                    \
	X(107036, ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED)                                           \
	X(107037, ACL_ERROR_RT_MODEL_RUNNING)                                                      \
	X(107038, ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD)                                        \
	X(107039, ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY)                                           \
	X(107040, ACL_ERROR_RT_MODEL_UPDATE_FAILED)                                                \
	X(107042, ACL_ERROR_RT_SYMBOL_NOT_FOUND)                                                   \
	X(107043, ACL_ERROR_RT_INVALID_SYMBOL)                                                     \
	X(107044, ACL_ERROR_RT_INVALID_DEVICE_FUNCTION)                                            \
	X(207000, ACL_ERROR_RT_FEATURE_NOT_SUPPORT)                                                \
	X(207001, ACL_ERROR_RT_MEMORY_ALLOCATION)                                                  \
	X(207002, ACL_ERROR_RT_MEMORY_FREE)                                                        \
	X(207003, ACL_ERROR_RT_AICORE_OVER_FLOW)                                                   \
	X(207004, ACL_ERROR_RT_NO_DEVICE)                                                          \
	X(207005, ACL_ERROR_RT_RESOURCE_ALLOC_FAIL)                                                \
	X(207006, ACL_ERROR_RT_NO_PERMISSION)                                                      \
	X(207007, ACL_ERROR_RT_NO_EVENT_RESOURCE)                                                  \
	X(207008, ACL_ERROR_RT_NO_STREAM_RESOURCE)                                                 \
	X(207009, ACL_ERROR_RT_NO_NOTIFY_RESOURCE)                                                 \
	X(207010, ACL_ERROR_RT_NO_MODEL_RESOURCE)                                                  \
	X(207011, ACL_ERROR_RT_NO_CDQ_RESOURCE)                                                    \
	X(207012, ACL_ERROR_RT_OVER_LIMIT)                                                         \
	X(207013, ACL_ERROR_RT_QUEUE_EMPTY)                                                        \
	X(207014, ACL_ERROR_RT_QUEUE_FULL)                                                         \
	X(207015, ACL_ERROR_RT_REPEATED_INIT)                                                      \
	X(207016, ACL_ERROR_RT_AIVEC_OVER_FLOW)                                                    \
	X(207017, ACL_ERROR_RT_OVER_FLOW)                                                          \
	X(207018, ACL_ERROR_RT_DEVICE_OOM)                                                         \
	X(207019, ACL_ERROR_RT_FEATURE_NOT_SUPPORT_UPDATE_OP)                                      \
	X(207020, ACL_ERROR_RT_TIMEOUT)                                                            \
	X(507000, ACL_ERROR_RT_INTERNAL_ERROR)                                                     \
	X(507001, ACL_ERROR_RT_TS_ERROR)                                                           \
	X(507002, ACL_ERROR_RT_STREAM_TASK_FULL)                                                   \
	X(507003, ACL_ERROR_RT_STREAM_TASK_EMPTY)                                                  \
	X(507004, ACL_ERROR_RT_STREAM_NOT_COMPLETE)                                                \
	X(507005, ACL_ERROR_RT_END_OF_SEQUENCE)                                                    \
	X(507006, ACL_ERROR_RT_EVENT_NOT_COMPLETE)                                                 \
	X(507007, ACL_ERROR_RT_CONTEXT_RELEASE_ERROR)                                              \
	X(507008, ACL_ERROR_RT_SOC_VERSION)                                                        \
	X(507009, ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT)                                              \
	X(507010, ACL_ERROR_RT_LOST_HEARTBEAT)                                                     \
	X(507011, ACL_ERROR_RT_MODEL_EXECUTE)                                                      \
	X(507012, ACL_ERROR_RT_REPORT_TIMEOUT)                                                     \
	X(507013, ACL_ERROR_RT_SYS_DMA)                                                            \
	X(507014, ACL_ERROR_RT_AICORE_TIMEOUT)                                                     \
	X(507015, ACL_ERROR_RT_AICORE_EXCEPTION)                                                   \
	X(507016, ACL_ERROR_RT_AICORE_TRAP_EXCEPTION)                                              \
	X(507017, ACL_ERROR_RT_AICPU_TIMEOUT)                                                      \
	X(507018, ACL_ERROR_RT_AICPU_EXCEPTION)                                                    \
	X(507019, ACL_ERROR_RT_AICPU_DATADUMP_RSP_ERR)                                             \
	X(507020, ACL_ERROR_RT_AICPU_MODEL_RSP_ERR)                                                \
	X(507021, ACL_ERROR_RT_PROFILING_ERROR)                                                    \
	X(507022, ACL_ERROR_RT_IPC_ERROR)                                                          \
	X(507023, ACL_ERROR_RT_MODEL_ABORT_NORMAL)                                                 \
	X(507024, ACL_ERROR_RT_KERNEL_UNREGISTERING)                                               \
	X(507025, ACL_ERROR_RT_RINGBUFFER_NOT_INIT)                                                \
	X(507026, ACL_ERROR_RT_RINGBUFFER_NO_DATA)                                                 \
	X(507027, ACL_ERROR_RT_KERNEL_LOOKUP)                                                      \
	X(507028, ACL_ERROR_RT_KERNEL_DUPLICATE)                                                   \
	X(507029, ACL_ERROR_RT_DEBUG_REGISTER_FAIL)                                                \
	X(507030, ACL_ERROR_RT_DEBUG_UNREGISTER_FAIL)                                              \
	X(507031, ACL_ERROR_RT_LABEL_CONTEXT)                                                      \
	X(507032, ACL_ERROR_RT_PROGRAM_USE_OUT)                                                    \
	X(507033, ACL_ERROR_RT_DEV_SETUP_ERROR)                                                    \
	X(507034, ACL_ERROR_RT_VECTOR_CORE_TIMEOUT)                                                \
	X(507035, ACL_ERROR_RT_VECTOR_CORE_EXCEPTION)                                              \
	X(507036, ACL_ERROR_RT_VECTOR_CORE_TRAP_EXCEPTION)                                         \
	X(507037, ACL_ERROR_RT_CDQ_BATCH_ABNORMAL)                                                 \
	X(507038, ACL_ERROR_RT_DIE_MODE_CHANGE_ERROR)                                              \
	X(507039, ACL_ERROR_RT_DIE_SET_ERROR)                                                      \
	X(507040, ACL_ERROR_RT_INVALID_DIEID)                                                      \
	X(507041, ACL_ERROR_RT_DIE_MODE_NOT_SET)                                                   \
	X(507042, ACL_ERROR_RT_AICORE_TRAP_READ_OVERFLOW)                                          \
	X(507043, ACL_ERROR_RT_AICORE_TRAP_WRITE_OVERFLOW)                                         \
	X(507044, ACL_ERROR_RT_VECTOR_CORE_TRAP_READ_OVERFLOW)                                     \
	X(507045, ACL_ERROR_RT_VECTOR_CORE_TRAP_WRITE_OVERFLOW)                                    \
	X(507046, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)                                                \
	X(507047, ACL_ERROR_RT_EVENT_SYNC_TIMEOUT)                                                 \
	X(507048, ACL_ERROR_RT_FFTS_PLUS_TIMEOUT)                                                  \
	X(507049, ACL_ERROR_RT_FFTS_PLUS_EXCEPTION)                                                \
	X(507050, ACL_ERROR_RT_FFTS_PLUS_TRAP_EXCEPTION)                                           \
	X(507051, ACL_ERROR_RT_SEND_MSG)                                                           \
	X(507052, ACL_ERROR_RT_COPY_DATA)                                                          \
	X(507053, ACL_ERROR_RT_DEVICE_MEM_ERROR)                                                   \
	X(507054, ACL_ERROR_RT_HBM_MULTI_BIT_ECC_ERROR)                                            \
	X(507055, ACL_ERROR_RT_SUSPECT_DEVICE_MEM_ERROR)                                           \
	X(507056, ACL_ERROR_RT_LINK_ERROR)                                                         \
	X(507057, ACL_ERROR_RT_SUSPECT_REMOTE_ERROR)                                               \
	X(507899, ACL_ERROR_RT_DRV_INTERNAL_ERROR)                                                 \
	X(507900, ACL_ERROR_RT_AICPU_INTERNAL_ERROR)                                               \
	X(507901, ACL_ERROR_RT_SOCKET_CLOSE)                                                       \
	X(507902, ACL_ERROR_RT_AICPU_INFO_LOAD_RSP_ERR)                                            \
	X(507903, ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED)                                         \
	X(507904, ACL_ERROR_RT_COMM_OP_RETRY_FAIL)                                                 \
	X(507914, ACL_ERROR_RT_L3_PORT_ERROR)                                                      \
	X(507915, ACL_ERROR_RT_CCU_TIMEOUT)                                                        \
	X(507916, ACL_ERROR_RT_CCU_EXCEPTION)

/* Codes of aclnn*: code, name */
#define ACLNN_ERROR_LIST(X)                                                                        \
	X(161001, ACLNN_ERR_PARAM_NULLPTR)                                                         \
	X(161002, ACLNN_ERR_PARAM_INVALID)                                                         \
	X(361001, ACLNN_ERR_RUNTIME_ERROR)                                                         \
	X(561000, ACLNN_ERR_INNER)                                                                 \
	X(561001, ACLNN_ERR_INNER_INFERSHAPE_ERROR)                                                \
	X(561002, ACLNN_ERR_INNER_TILING_ERROR)                                                    \
	X(561003, ACLNN_ERR_INNER_FIND_KERNEL_ERROR)                                               \
	X(561101, ACLNN_ERR_INNER_CREATE_EXECUTOR)                                                 \
	X(561102, ACLNN_ERR_INNER_NOT_TRANS_EXECUTOR)                                              \
	X(561103, ACLNN_ERR_INNER_NULLPTR)                                                         \
	X(561105, ACLNN_ERR_INNER_KEY_CONFLICT)                                                    \
	X(561107, ACLNN_ERR_INNER_OPP_PATH_NOT_FOUND)                                              \
	X(561112, ACLNN_ERR_INNER_OPP_KERNEL_PKG_NOT_FOUND)

/* Meaning of a code beside a plain failure. */
enum acl_meaning {
	ACL_FAILED,     /* none of the others */
	ACL_ABSENT,     /* this version or device lacks the feature */
	ACL_NO_MEMORY,  /* of the device */
	ACL_TIMED_OUT,  /* a launch ran too long: its context is of no more use */
	ACL_BROKEN,     /* a kernel or memory is bad: the context is of no more use */
	ACL_DEVICE_LOST /* the device is of no more use */
};

const char *acl_error_name(int code); /* "ACL_ERROR_RT_AICORE_TIMEOUT"; NULL when unknown */
enum acl_meaning acl_error_meaning(int code);

/* True for a code after which every later call in the context fails. */
bool acl_error_is_lasting(int code);

#endif
